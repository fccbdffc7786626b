export { type Admission, admissionOf } from "./state/admission.js";
export { type Answer, ask, type OverallVerdict, type Question } from "./analysis/explain/ask.js";
export { type ChangeRow, isChanged, type StateChanges } from "./analysis/changes/changes.js";
export { implementationCaveatsOfAll } from "./analysis/enforcers/implementation-caveats.js";
export { type Caveat, caveatsOf, caveatsOfAll, mergedCaveats } from "./state/caveat.js";
export { type EnforcerName, enforcerNames } from "./state/enforcers/differences.js";
export { belowCaveats, caveatLines, caveatsJson, caveatsMarkdown } from "./report/caveats.js";
export { compareStates } from "./analysis/changes/compare.js";
export {
  type ConnectivityTest,
  connectivityTestSchema,
  readConnectivityTests,
} from "./analysis/connectivity-test/connectivity-test.js";
export { type Conversion, convert } from "./analysis/convert/convert.js";
export { isProven } from "./analysis/convert/proof.js";
export { type Target, targets } from "./analysis/convert/targets.js";
export {
  type EndpointRef,
  formatPortRef,
  parseEndpoint,
  parsePort,
  parseTarget,
  type PortRef,
} from "./analysis/endpoints/endpoint-ref.js";
export { deletePolicy, editPolicies, type EditedPolicies } from "./state/edit/edited-policies.js";
export { type Edit, type EditedState, type ObjectEdit, readEdited } from "./state/edit/edited-state.js";
export {
  kindKey,
  type Readable,
  type ReadableScope,
  Reader,
  type Unread,
} from "./analysis/endpoints/reader.js";
export { servedObject, servedText } from "./state/snapshot/served-text.js";
export { type Consequences, consequencesOf } from "./analysis/consequences/consequences.js";
export {
  explain,
  type ExplainedAnswer,
  type ExplainedFlow,
  type Explanation,
} from "./analysis/explain/explain.js";
export type { Cell, UndecidedPorts } from "./analysis/matrix/cells.js";
export {
  type Connection,
  type Matrix,
  type MatrixEnd,
  matrixOf,
  type Sums,
} from "./analysis/matrix/matrix.js";
export { type Decided, decidedBy, type Meant, type Side } from "./analysis/matrix/decided-by.js";
export { decidingTiers, type TierVerdict, tierVerdicts } from "./analysis/matrix/deciding-tiers.js";
export { askedPorts, type MatrixQuestion } from "./analysis/matrix/question.js";
export { type DirectionReason, type Reason, Reasons } from "./analysis/matrix/reasons.js";
export { type PortGroup, portGroups } from "./analysis/matrix/port-groups.js";
export { formatParty, type Grain, type Party, partyKey } from "./analysis/endpoints/party.js";
export type { Finding } from "./analysis/lint/finding.js";
export { type Fixed, fixSources } from "./analysis/lint/fix.js";
export { lint, type LintReport } from "./analysis/lint/lint.js";
export { type Lookup, lookup } from "./analysis/lookup/lookup.js";
export {
  type FlowFormat,
  flowFormats,
  formatOf,
  isBlank,
  type LineReader,
  readerOf,
} from "./analysis/replay/format.js";
export { Replay, type Replayed } from "./analysis/replay/replay.js";
export type { OrderConflict } from "./analysis/proof/order-conflicts.js";
export type { Override } from "./analysis/proof/override.js";
export { type Proofs, prove, proveInSteps } from "./analysis/proof/proofs.js";
export type { RuleProof } from "./analysis/proof/rule-proofs.js";
export { howMuch, listed, takerText } from "./analysis/lint/naming.js";
export { onlyRepeats } from "./analysis/lint/rules/shadowed-rule.js";
export { parseRemoval, type Removal } from "./state/edit/removal.js";
export {
  type Mismatch,
  runConnectivityTest,
  type TestResult,
  unansweredTest,
} from "./analysis/connectivity-test/run-test.js";
export { readCluster } from "./state/read-cluster.js";
export { type Precedence, precedenceOf } from "./analysis/preview/precedence.js";
export { type Failure, failures, failuresIn, type Preview, preview } from "./analysis/preview/preview.js";
export type { ChangeOutline, OutlinedExample } from "./analysis/preview/outline.js";
export { Rehearsal } from "./analysis/preview/rehearsal.js";
export type { RuleTrace, TierTrace, WalkTrace } from "./analysis/explain/trace.js";
export {
  duplicate,
  ownPolicies,
  type PolicyDefinition,
  readState,
  readStates,
  type State,
  type StateOptions,
} from "./state/state.js";
export { readOptions, type WrittenOptions, writtenOptions } from "./state/written-options.js";
export { type Snapshot, snapshotOf, type SnapshotOptions } from "./state/snapshot/snapshot.js";
export { snapshotObject, type Unseen } from "./state/snapshot/snapshot-kind.js";
export { connectivityTestKind } from "./state/test-kind.js";
export {
  type Cluster,
  type ContainerPort,
  type DnsRecord,
  type Facts,
  type Namespace,
  type Node,
  type Pod,
  podKey,
  type Workload,
} from "./cluster/model.js";
export { clusterFile, formatPath, type Path } from "./diagnostics/place.js";
export { type Diagnostic, diagnostic, hasErrors } from "./diagnostics/diagnostic.js";
export { shortened, visible, visibleLines, visibleWithin } from "./diagnostics/visible.js";
export { isTelling } from "./diagnostics/telling.js";
export type { Result } from "./diagnostics/result.js";
export { didYouMean } from "./diagnostics/suggest.js";
export { type Code, diagnostics, type Severity } from "./diagnostics/table.js";
export { parseLabelExpression } from "./dialects/cilium/identity-labels.js";
export { apiVersionsOf, type PolicyKind } from "./dialects/dialect.js";
export { policyKinds as dialects } from "./dialects/registry.js";
export {
  type ForeignEffect,
  type ForeignKind,
  foreignGroups,
  foreignKindOf,
  foreignKinds,
} from "./foreign/kinds.js";
export { type ForeignObject, formatForeign } from "./foreign/object.js";
export { type ConnectionVerdict, evaluate, type Verdict, type WalkVerdict } from "./evaluate/evaluate.js";
export { domainMatches } from "./evaluate/domain.js";
export { type Endpoint, type Flow, formatEndpoint, type PodEndpoint } from "./evaluate/flow.js";
export { isSubject, peerMatches } from "./evaluate/match.js";
export {
  type AddressRange,
  type Block,
  type Change,
  type ChangedBlock,
  type ChangedPairs,
  type ChangedPart,
  ChangedParts,
  type ChangedSide,
  type Changes,
  compile,
  compileBoth,
  type DecidedChange,
  type DecidedDirection,
  diffEngines,
  type Difference,
  type DirectionExplanation,
  type EndGroup,
  type EndInBoth,
  endpointsOf,
  type Engine,
  type ExternalBlock,
  type FlowExplanation,
  type IsolatedPods,
  isRelative,
  type JointGroup,
  listDifference,
  type Member,
  namedNamespaces,
  namespaceFits,
  type NearnessInBoth,
  type Pair,
  type PartSide,
  peerKey,
  type Reached,
  type ReachedAddresses,
  type ReachedEnds,
  realPorts,
  serviceKey,
  serviceTargets,
  type ServiceTargets,
  type SettledPeer,
  settlePeer,
  type Update,
  type Use,
  type Vocabulary,
  vocabularyOf,
} from "./engine/index.js";
export type { Decider } from "./evaluate/walk.js";
export { type PortSetId, PortSets } from "./sets/port-sets.js";
export { assembleTiers, type Lowered } from "./policy/assemble.js";
export { annotatedChoice } from "./policy/annotations.js";
export { actionOf, describeSubject, formatRule } from "./policy/describe.js";
export {
  type Direction,
  type DomainPattern,
  formatPolicy,
  type Isolation,
  type NamespaceSet,
  type Peer,
  type PodSelection,
  type PolicyRef,
  type PortMatch,
  type Rule,
  type Tier,
  type TierName,
  tierNames,
  type Tiers,
} from "./policy/model.js";
export {
  type Document,
  isObject,
  type Json,
  type JsonObject,
  type ParsedDocument,
} from "./manifest/document.js";
export { type LabelMatch, type Labels, namespaceNameLabel, selects } from "./labels/requirement.js";
export { parseSelector } from "./labels/selector-text.js";
export { writeYaml } from "./manifest/yaml/write-yaml.js";
export { parseManifest } from "./manifest/parse.js";
export type { ChunkedSource, Source, TextSource } from "./manifest/source.js";
export { type Address, bitsOf, type Family, formatAddress, parseAddress } from "./net/address.js";
export { type Cidr, contains, covers, formatCidr, lastOf, parseCidr, singleAddress } from "./net/cidr.js";
export { locateProblem } from "./schema/locate-problem.js";
export {
  boolean,
  type Alternative,
  type CelRule,
  type Constraint,
  type Fields,
  type Format,
  list,
  object,
  type ObjectSchema,
  oneOf,
  optional,
  type Schema,
  string,
} from "./schema/schema.js";
export { validate } from "./schema/validate.js";
export { changesAnnotations } from "./report/changes/changes-github.js";
export { type Annotation, annotationText } from "./report/github-annotation.js";
export { changesJson } from "./report/changes/changes-json.js";
export { changesMarkdown } from "./report/changes/changes-markdown.js";
export { changesText, onlyFamily } from "./report/changes/changes-text.js";
export {
  beforeText,
  byResponsible,
  flowText,
  PartyNames,
  portsText,
  sections,
  whoText,
} from "./report/changes/changes-words.js";
export {
  diagnosticText,
  type SourceLines,
  type SourceText,
  summarize,
  summaryText,
} from "./report/diagnostics-text.js";
export { conversionJson, conversionText } from "./report/conversion.js";
export {
  apiVersion,
  endpointJson,
  explanationJson,
  type JsonValue,
} from "./report/explanation/explanation-json.js";
export { explanationText } from "./report/explanation/explanation-text.js";
export { matrixCsv } from "./report/matrix/matrix-csv.js";
export { matrixDot } from "./report/matrix/matrix-dot.js";
export { type MatrixReport, matrixReportJson } from "./report/matrix/matrix-report.js";
export { matrixJson } from "./report/matrix/matrix-json.js";
export { matrixMarkdown } from "./report/matrix/matrix-markdown.js";
export { type Look, lookOf, type Picture, pictureOf } from "./report/matrix/matrix-picture.js";
export { matrixSvg } from "./report/matrix/matrix-svg.js";
export { matrixText } from "./report/matrix/matrix-text.js";
export { lintGithub } from "./report/lint/lint-github.js";
export { lintJson } from "./report/lint/lint-json.js";
export { lintJunit } from "./report/lint/lint-junit.js";
export { lintSarif } from "./report/lint/lint-sarif.js";
export { lintText } from "./report/lint/lint-text.js";
export { lookupJson } from "./report/lookup/lookup-json.js";
export { lookupText } from "./report/lookup/lookup-text.js";
export { policiesJson } from "./report/policies-json.js";
export { replayJson } from "./report/replay/replay-json.js";
export { replayText } from "./report/replay/replay-text.js";
export { previewJson } from "./report/preview/preview-json.js";
export { previewAnnotations, previewMarkdown } from "./report/preview/preview-markdown.js";
export { previewText } from "./report/preview/preview-text.js";
export {
  consequenceWarnings,
  type EditWarning,
  precedenceWarnings,
  warningOrder,
  type WarningTopic,
} from "./report/warnings.js";
export { type Remark, remarksOf } from "./report/preview/preview-words.js";
export { portGroupsText } from "./report/port-groups-text.js";
export { cellText } from "./report/matrix/matrix-groups.js";
export { matrixEndText } from "./report/party-json.js";
export { type PortRow, portRows } from "./report/explanation/port-rows.js";
export { deciderText, isToBeOpened, trafficText } from "./report/explanation/rule-text.js";
export { noStyle, type Style } from "./report/style.js";
export {
  diagnosticsJson,
  testResultsJson,
  testResultsJunit,
  testResultsText,
  totals,
} from "./report/test-results.js";
export { explore, type Unknowns } from "./evaluate/facts.js";
export { AddressAtoms } from "./sets/address-atoms.js";
export { lastAtMost } from "./sets/sorted.js";
export { formatRange } from "./net/region.js";
export { embeddedAddress, isNeverNamed } from "./net/special-addresses.js";
export { changedEntries, editedMap } from "./state/live/edited-map.js";
export { keyOf, type LiveOptions, LiveState, type Moment } from "./state/live/live-state.js";
export { addressesOfNode, nodeAnnotations } from "./cluster/node.js";
export { podFields } from "./cluster/pod-fields.js";
export { type FieldMask, pickFields } from "./manifest/field-mask.js";
export type { ManifestObject } from "./manifest/object.js";
export { readObjects } from "./manifest/read.js";
