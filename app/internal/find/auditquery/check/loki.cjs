// Parses a query with Grafana's grammar of LogQL.
const { readFileSync } = require('node:fs')
const { parser } = require('@grafana/lezer-logql')

const query = readFileSync(process.argv[2], 'utf8').replace(/^#.*\n/gm, '')
let wrong = 0
parser.parse(query).iterate({
  enter(node) {
    if (!node.type.isError) return
    wrong++
    console.log(`at ${node.from}: ${query.slice(node.from, node.from + 30)}`)
  },
})
process.exit(wrong > 0 ? 1 : 0)
