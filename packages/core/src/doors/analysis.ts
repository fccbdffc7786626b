/*
 * `@tierwall/core/analysis`: questions about a state, and their answers as data.
 */

export {
  type ConnectivityTest,
  connectivityTestSchema,
  readConnectivityTests,
} from "../analysis/connectivity-test/connectivity-test.js";
export {
  decidingNames,
  runConnectivityTest,
  type TestResult,
  unansweredTest,
} from "../analysis/connectivity-test/run-test.js";
export { consequencesOf } from "../analysis/consequences/consequences.js";
export { type Conversion, convert } from "../analysis/convert/convert.js";
export { isProven } from "../analysis/convert/proof.js";
export { type Target, targets } from "../analysis/convert/targets.js";
export { endpointsCalled, type NamedEndpoint, namedEndpoints } from "../analysis/endpoints/called.js";
export {
  formatPortRef,
  parseEndpoint,
  parsePort,
  parseTarget,
  type PortRef,
} from "../analysis/endpoints/endpoint-ref.js";
export { formatParty, partyKey } from "../analysis/endpoints/party.js";
export {
  kindKey,
  type Readable,
  type ReadableScope,
  Reader,
  type Unread,
} from "../analysis/endpoints/reader.js";
export { isKindOfEndpoint } from "../analysis/endpoints/resolve.js";
export { implementationCaveatsOfAll } from "../analysis/enforcers/implementation-caveats.js";
export { type Answer, ask } from "../analysis/explain/ask.js";
export { explain, type ExplainedAnswer, type ExplainedFlow } from "../analysis/explain/explain.js";
export { parseQuestion } from "../analysis/explain/parse-question.js";
export { servicePortAsked } from "../analysis/explain/service-port.js";
export type { RuleTrace, TierTrace, WalkTrace } from "../analysis/explain/trace.js";
export { type Fixed, fixSources } from "../analysis/lint/fix.js";
export { lint } from "../analysis/lint/lint.js";
export { affected, deciderName, listed } from "../analysis/lint/naming.js";
export { onlyRepeats, shownProof } from "../analysis/lint/rules/shadowed-rule.js";
export { decidedBy, type Meant, type Side } from "../analysis/matrix/decided-by.js";
export { decidingTiers, type TierVerdict, tierVerdicts } from "../analysis/matrix/deciding-tiers.js";
export { type Matrix, matrixOf } from "../analysis/matrix/matrix.js";
export { portGroups } from "../analysis/matrix/port-groups.js";
export { askedPorts } from "../analysis/matrix/question.js";
export { type DirectionReason, type Reason, Reasons } from "../analysis/matrix/reasons.js";
export { minimize, type Minimization } from "../analysis/minimize/minimize.js";
export { replacedDocuments, writingProblems } from "../analysis/minimize/replaced-documents.js";
export { writtenPolicies } from "../analysis/minimize/written-policies.js";
export type { ChangeOutline } from "../analysis/preview/outline.js";
export { precedenceOf } from "../analysis/preview/precedence.js";
export { type Failure, failures, failuresIn, type Preview, preview } from "../analysis/preview/preview.js";
export { Rehearsal } from "../analysis/preview/rehearsal.js";
export type { OrderConflict } from "../analysis/proof/order-conflicts.js";
export type { Override } from "../analysis/proof/override.js";
export { type Proofs, prove, proveInSteps } from "../analysis/proof/proofs.js";
export { budgetFor, type RuleProof } from "../analysis/proof/rule-proofs.js";
export { completed } from "../collections/steps.js";
export { RuleQuestions } from "../prove/rules/index.js";
export { type FlowFormat, flowFormats, formatOf, isBlank, readerOf } from "../analysis/replay/format.js";
export { Replay, type Replayed } from "../analysis/replay/replay.js";
