export { ask, type Answer, type OverallVerdict, type Question } from "./analysis/ask.js";
export { type ChangeRow, isChanged, type StateChanges } from "./analysis/changes/changes.js";
export { compareStates } from "./analysis/changes/compare.js";
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
export { type Edit, type EditedState, readEdited } from "./analysis/edited-state.js";
export { type Explanation, explain } from "./analysis/explain.js";
export type { Grain, Party } from "./analysis/party.js";
export { type Failure, failures, failuresIn, type Preview, preview } from "./analysis/preview/preview.js";
export { parseRemoval, type Removal } from "./analysis/removal.js";
export { type Mismatch, runConnectivityTest, type TestResult, unansweredTest } from "./analysis/run-test.js";
export { readState, readStates, type State, type StateOptions } from "./analysis/state.js";
export { connectivityTestKind } from "./analysis/test-kind.js";
export type { Cluster, DnsRecord, Facts, Namespace, Node, Pod } from "./cluster/model.js";
export { type Diagnostic, diagnostic, hasErrors } from "./diagnostics/diagnostic.js";
export type { Result } from "./diagnostics/result.js";
export { type Code, diagnostics } from "./diagnostics/table.js";
export { policyKinds as dialects } from "./dialects/registry.js";
export { type ConnectionVerdict, evaluate, type Verdict } from "./evaluate/evaluate.js";
export type { Endpoint, Flow } from "./evaluate/flow.js";
export { isSubject } from "./evaluate/match.js";
export type { ChangedPairs } from "./engine/changed-pairs.js";
export type { Changes, Update } from "./engine/update.js";
export type { Change, ChangedBlock, ChangedSide, NearnessInBoth, Pair } from "./engine/changed-block.js";
export { type ChangedPart, ChangedParts, type PartSide } from "./engine/changed-parts.js";
export { compileBoth } from "./engine/compile-both.js";
export type { DecidedChange, DecidedDirection } from "./engine/decided-changes.js";
export { type Difference, diffEngines } from "./engine/diff.js";
export type { EndInBoth, JointGroup } from "./engine/ends-in-both.js";
export { compile, type Engine } from "./engine/engine.js";
export type { DirectionExplanation, FlowExplanation } from "./engine/explain-flow.js";
export type { ExternalBlock } from "./engine/external-pairs.js";
export type { IsolatedPods } from "./engine/isolated.js";
export { endpointsOf } from "./engine/members.js";
export type { AddressRange } from "./engine/outside-runs.js";
export type { Reached, ReachedAddresses, ReachedEnds } from "./engine/reach.js";
export type { Use } from "./engine/rule-use.js";
export type { Decider } from "./evaluate/walk.js";
export type { EndGroup } from "./engine/end-groups.js";
export type { Block } from "./engine/blocks.js";
export { PortSets, type PortSetId } from "./engine/port-sets.js";
export { type Lowered, assembleTiers } from "./policy/assemble.js";
export type { PolicyRef, Rule, Tier, Tiers } from "./policy/model.js";
export { parseManifest } from "./manifest/parse.js";
export type { ChunkedSource, Source, TextSource } from "./manifest/source.js";
export { type Address, parseAddress } from "./net/address.js";
export { type Cidr, parseCidr } from "./net/cidr.js";
export { type Annotation, annotationText, changesAnnotations } from "./report/changes-github.js";
export { changesJson } from "./report/changes-json.js";
export { changesMarkdown } from "./report/changes-markdown.js";
export { changesText } from "./report/changes-text.js";
export {
  diagnosticText,
  type SourceLines,
  type SourceText,
  summarize,
  summaryText,
} from "./report/diagnostics-text.js";
export { explanationJson, type JsonValue } from "./report/explanation-json.js";
export { explanationText } from "./report/explanation-text.js";
export { previewJson } from "./report/preview-json.js";
export { previewAnnotations, previewMarkdown } from "./report/preview-markdown.js";
export { previewText } from "./report/preview-text.js";
export { noStyle, type Style } from "./report/style.js";
export {
  diagnosticsJson,
  testResultsJson,
  testResultsJunit,
  testResultsText,
  totals,
} from "./report/test-results.js";
