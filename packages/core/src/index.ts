export { ask, type Answer, type OverallVerdict, type Question } from "./analysis/ask.js";
export {
  type ConnectivityTest,
  connectivityTestSchema,
  readConnectivityTests,
} from "./analysis/connectivity-test.js";
export {
  type EndpointRef,
  parseEndpoint,
  parsePort,
  parseTarget,
  type PortRef,
} from "./analysis/endpoint-ref.js";
export { type Explanation, explain } from "./analysis/explain.js";
export { type Mismatch, runConnectivityTest, type TestResult, unansweredTest } from "./analysis/run-test.js";
export { readState, type State, type StateOptions } from "./analysis/state.js";
export { connectivityTestKind } from "./analysis/test-kind.js";
export type { Cluster, DnsRecord, Facts } from "./cluster/model.js";
export { type Diagnostic, diagnostic, hasErrors } from "./diagnostics/diagnostic.js";
export type { Result } from "./diagnostics/result.js";
export { type Code, diagnostics } from "./diagnostics/table.js";
export { policyKinds as dialects } from "./dialects/registry.js";
export type { Verdict } from "./evaluate/evaluate.js";
export { compile, type Engine } from "./engine/engine.js";
export type { EndGroup } from "./engine/end-groups.js";
export type { Block } from "./engine/blocks.js";
export { PortSets, type PortSetId } from "./engine/port-sets.js";
export { parseManifest } from "./manifest/parse.js";
export type { ChunkedSource, Source, TextSource } from "./manifest/source.js";
export { type Address, parseAddress } from "./net/address.js";
export { type Cidr, parseCidr } from "./net/cidr.js";
export {
  diagnosticText,
  type SourceLines,
  type SourceText,
  summarize,
  summaryText,
} from "./report/diagnostics-text.js";
export { explanationJson, type JsonValue } from "./report/explanation-json.js";
export { explanationText } from "./report/explanation-text.js";
export { noStyle, type Style } from "./report/style.js";
export {
  diagnosticsJson,
  testResultsJson,
  testResultsJunit,
  testResultsText,
  totals,
} from "./report/test-results.js";
