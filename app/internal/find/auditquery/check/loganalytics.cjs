// Analyzes a Kusto query with the columns of AKSAudit.
require('@kusto/language-service-next/bridge.min')
require('@kusto/language-service-next/Kusto.Language.Bridge.min')
const { readFileSync } = require('node:fs')
const { GlobalState, KustoCode, Symbols } = Kusto.Language

const table = Symbols.TableSymbol.From(
  '(TimeGenerated:datetime, AuditId:string, Stage:string, RequestUri:string, Verb:string, User:dynamic, SourceIps:dynamic, UserAgent:string, ' +
  'ObjectRef:dynamic, ResponseStatus:dynamic, RequestReceivedTime:datetime, StageReceivedTime:datetime, Annotations:dynamic, PodName:string)',
).WithName('AKSAudit')
const globals = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.ctor('logs', [table]))
const code = KustoCode.ParseAndAnalyze(readFileSync(process.argv[2], 'utf8'), globals)
const list = (l) => Array.from({ length: l.Count }, (_, i) => l.getItem(i))
const wrong = list(code.GetDiagnostics())
for (const d of wrong) console.log(d.Severity, d.Message)
console.log(list(code.ResultType.Columns).map((c) => `${c.Name}:${c.Type.Name}`).join(' '))
process.exit(wrong.length > 0 ? 1 : 0)
