/*
 * The library: a cluster is read from manifests, and answers questions. docs/library.md is its manual; what is exported here
 * changes only as that page promises. What else our own packages use is behind the doors of doors/.
 */

export {
  DiffAnswer,
  ExplainAnswer,
  type JsonReport,
  LintAnswer,
  LookupAnswer,
  type RenderOptions,
} from "./library/answers.js";
export { Cluster, type ClusterParts } from "./library/cluster.js";
export {
  MatrixAnswer,
  type MatrixFormat,
  type MatrixOptions,
  type MatrixRenderOptions,
} from "./library/matrix-answer.js";
export type { Verdict } from "./evaluate/evaluate.js";
export type { Caveat } from "./state/caveat.js";
export { type EnforcerName, enforcerNames } from "./state/enforcers/differences.js";
export type { ClusterOptions } from "./state/written-options.js";
export type { ChangeRow, StateChanges } from "./analysis/changes/changes.js";
export type { Grain, Party } from "./analysis/endpoints/party.js";
export type { OverallVerdict, Question } from "./analysis/explain/ask.js";
export type { Explanation } from "./analysis/explain/explain.js";
export type { Finding } from "./analysis/lint/finding.js";
export type { LintReport } from "./analysis/lint/lint.js";
export type { Lookup } from "./analysis/lookup/lookup.js";
export type { Cell, UndecidedPorts } from "./analysis/matrix/cells.js";
export type { Connection, Matrix, MatrixEnd } from "./analysis/matrix/matrix.js";
export type { PortGroup } from "./analysis/matrix/port-groups.js";
export type { JsonValue } from "./report/explanation/explanation-json.js";
export type { Style } from "./report/style.js";
export type { ChunkedSource, Source, TextSource } from "./manifest/source.js";
export { type Diagnostic, hasErrors } from "./diagnostics/diagnostic.js";
export type { Place } from "./diagnostics/place.js";
export type { Result } from "./diagnostics/result.js";
export type { Code, Severity } from "./diagnostics/table.js";
