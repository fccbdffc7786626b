/*
 * `@tierwall/core/report`: answers as text, JSON, Markdown, SARIF, JUnit, CSV and pictures.
 */

export { belowCaveats, caveatLines, caveatsJson, caveatsMarkdown } from "../report/caveats.js";
export { changesAnnotations } from "../report/changes/changes-markdown.js";
export { onlyFamily } from "../report/changes/changes-text.js";
export {
  beforeText,
  byResponsible,
  flowText,
  PartyNames,
  portsText,
  changeSections,
  whoText,
} from "../report/changes/changes-words.js";
export { conversionJson, conversionText } from "../report/conversion.js";
export {
  diagnosticText,
  type SourceLines,
  type SourceText,
  summarize,
  summaryText,
} from "../report/diagnostics-text.js";
export { diagnosticsText, worstFirst } from "../report/diagnostics-groups.js";
export { countsOf } from "../collections/maps.js";
export { formatCounts } from "../diagnostics/summary.js";
export { counted } from "../report/wording.js";
export { fitted } from "../report/fitted.js";
export { apiVersion } from "../report/explanation/explanation-json.js";
export { explanationText } from "../report/explanation/explanation-text.js";
export { type PortRow, portRows } from "../report/explanation/port-rows.js";
export { deciderText, isToBeOpened, trafficText } from "../report/explanation/rule-text.js";
export { type Annotation, annotationText } from "../report/github-annotation.js";
export { lintGithub } from "../report/lint/lint-github.js";
export { lintJunit } from "../report/lint/lint-junit.js";
export { lintText, witnessText } from "../report/lint/lint-text.js";
export { cellText } from "../report/matrix/matrix-groups.js";
export { type Look, lookOf } from "../report/matrix/matrix-picture.js";
export { matrixEndText } from "../report/party-json.js";
export { minimizationJson } from "../report/minimize/minimize-json.js";
export { minimizationText } from "../report/minimize/minimize-text.js";
export { policiesJson } from "../report/policies-json.js";
export { portGroupsText } from "../report/port-groups-text.js";
export { previewJson } from "../report/preview/preview-json.js";
export { previewAnnotations, previewMarkdown } from "../report/preview/preview-markdown.js";
export { previewText } from "../report/preview/preview-text.js";
export { remarksOf } from "../report/preview/preview-words.js";
export { replayJson } from "../report/replay/replay-json.js";
export { replayText } from "../report/replay/replay-text.js";
export { noStyle, wrap } from "../report/style.js";
export {
  diagnosticsJson,
  testResultsJson,
  testResultsJunit,
  testResultsText,
  totals,
} from "../report/test-results.js";
export {
  consequenceWarnings,
  type EditWarning,
  precedenceWarnings,
  warningOrder,
} from "../report/warnings.js";
export { visible, visibleLines, visibleWithin } from "../diagnostics/visible.js";
export { type MatrixReport, matrixReportJson } from "../report/matrix/matrix-report.js";
