// Parses a query with Trino's grammar, which Athena's engine has.
const { readFileSync } = require('node:fs')
const { TrinoSQL } = require('dt-sql-parser')

const wrong = new TrinoSQL().validate(readFileSync(process.argv[2], 'utf8'))
for (const e of wrong) console.log(`${e.startLine}:${e.startColumn} ${e.message}`)
process.exit(wrong.length > 0 ? 1 : 0)
