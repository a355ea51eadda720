// Analyzes a query as BigQuery's analyzer does, with the columns that Cloud Logging
// exports audit logs to.
const { readFileSync } = require('node:fs')
const { spawn } = require('node:child_process')
const { dirname, join } = require('node:path')
const { ZetaSQLClient } = require('@fivetrandevelopers/zetasql')

const port = 20000 + (process.pid % 20000)
const program = join(dirname(require.resolve('@fivetrandevelopers/zetasql')), 'zetasql', 'remote_server.so')
const server = spawn(program, ['127.0.0.1', String(port)], { stdio: 'ignore' })
const text = { typeKind: 'TYPE_STRING' }
const struct = (fields) => ({
  typeKind: 'TYPE_STRUCT',
  structType: { field: Object.entries(fields).map(([fieldName, fieldType]) => ({ fieldName, fieldType })) },
})
const entry = struct({
  methodName: text, resourceName: text, authenticationInfo: struct({ principalEmail: text }),
  requestMetadata: struct({ callerSuppliedUserAgent: text }), status: struct({ code: { typeKind: 'TYPE_INT64' }, message: text }),
})

async function analyze() {
  ZetaSQLClient.init(port)
  const client = ZetaSQLClient.getInstance()
  await client.testConnection()
  const languageOptions = await client.getLanguageOptions({ maximumFeatures: true })
  languageOptions.productMode = 'PRODUCT_EXTERNAL'
  const answer = await client.analyze({
    sqlStatement: readFileSync(process.argv[2], 'utf8'),
    options: { languageOptions },
    simpleCatalog: {
      name: 'exports',
      builtinFunctionOptions: { languageOptions },
      table: [{
        name: 'PROJECT.DATASET.cloudaudit_googleapis_com_data_access_*',
        serializationId: 1,
        column: [
          { name: 'protopayload_auditlog', type: entry }, { name: 'operation', type: struct({ id: text }) },
          { name: 'timestamp', type: { typeKind: 'TYPE_TIMESTAMP' } },
        ],
      }],
    },
  })
  return answer.resolvedStatement.resolvedQueryStmtNode.outputColumnList.map((c) => c.name).join(' ')
}

const end = (code, said) => { console.log(said); server.kill(); process.exit(code) }
analyze().then((columns) => end(0, columns), (error) => end(1, error.message))
