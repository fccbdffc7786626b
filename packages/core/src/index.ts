/*
 * The library: a cluster is read from manifests, and answers questions. docs/reference/library.md is its manual, and docs/reference/library-api.md
 * is written from here: a comment between exports is the heading of those below it. Each declaration has its own
 * documentation. What else our own packages import is exported by doors/.
 */

// A cluster and its questions
export { Cluster, type ClusterParts } from "./library/cluster.js";
export type { ClusterOptions } from "./state/cluster-options.js";
export { type EnforcerName, enforcerNames } from "./state/enforcers/differences.js";
export type { ChunkedSource, Source, TextSource } from "./manifest/source.js";
export type { Question } from "./analysis/explain/ask.js";
export type { MatrixOptions } from "./library/matrix-answer.js";
export type { UndecidedPorts } from "./analysis/matrix/cells.js";
export type { Grain } from "./analysis/endpoints/party.js";

// Errors
export type { Result } from "./diagnostics/result.js";
export { type Diagnostic, hasErrors } from "./diagnostics/diagnostic.js";
export type { Code, Severity } from "./diagnostics/table.js";
export type { Place } from "./diagnostics/place.js";

// Answers
export {
  DiffAnswer,
  ExplainAnswer,
  type JsonReport,
  LintAnswer,
  LookupAnswer,
  type RenderOptions,
} from "./library/answers.js";
export { MatrixAnswer, type MatrixFormat, type MatrixRenderOptions } from "./library/matrix-answer.js";
export type { JsonValue } from "./report/explanation/explanation-json.js";
export type { Style } from "./report/style.js";

// Answers as data
export type { Verdict } from "./evaluate/evaluate.js";
export type { OverallVerdict } from "./analysis/explain/ask.js";
export type { Caveat } from "./state/caveat.js";
export type { Explanation } from "./analysis/explain/explain.js";
export type { Connection, MatrixEnd } from "./analysis/matrix/matrix.js";
export type { MatrixCell } from "./analysis/matrix/cells.js";
export type { PortGroup } from "./analysis/matrix/port-groups.js";
export type { Party } from "./analysis/endpoints/party.js";
export type { Lookup } from "./analysis/lookup/lookup.js";
export type { LintReport } from "./analysis/lint/lint.js";
export type { Finding } from "./analysis/lint/finding.js";
export type { ChangeRow, StateChanges } from "./analysis/changes/changes.js";
