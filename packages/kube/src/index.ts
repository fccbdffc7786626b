export { InputBudget, RefusedInput, textOf, unpackedBytes, writtenText } from "./files/bounded-input.js";
export { bigFile, bigFileSize, type BytesRead } from "./files/big-file.js";
export { ClusterSource, type ClusterSourceOptions } from "./cluster/cluster-source.js";
export { clusterFiles } from "./cluster/cluster-files.js";
export { type ClusterListing, listCluster } from "./cluster/cluster-listing.js";
export { configName, isConfig, isConfigText } from "./files/config-file.js";
export { connect, type Connection, type KubeRequest, messageOf } from "./cluster/connection.js";
export type { StartService } from "./controller/controller.js";
export { runController } from "./controller/controller-command.js";
export { jsonRequest, refusalIn } from "./cluster/json-request.js";
export { leasesOf, microTime } from "./controller/leader-election.js";
export {
  agentLeaseOf,
  programmedAnnotation,
  programmedText,
  shadowAnnotation,
  systemNamespace,
} from "./controller/programmed-report.js";
export { type BundleName, definitionFiles, definitionsOf } from "./crds/bundles.js";
export type { OpenApi } from "./crds/structural.js";
export { type ForeignApiTimes, ForeignApiWatch } from "./cluster/foreign-apis.js";
export { allKinds, controllerKinds, namesOfForeign } from "./cluster/foreign-kinds.js";
export { Delivery, type DeliveryTimes } from "./timing/delivery.js";
export { type WatchedKind, watchedKinds } from "./cluster/kinds.js";
export {
  filesAt,
  isLookedInto,
  isManifest,
  type ManifestFile,
  type Read,
  readPaths,
  shown,
  smallestPacked,
  sourceAt,
  unreadable,
} from "./files/manifest-files.js";
export { HttpListener, type ListenerLimits } from "./http/http-listener.js";
export { isLoopback } from "./http/listen-address.js";
export { type MetricsAuth, type MetricsCommand, openMetrics, serveMetrics } from "./http/metrics-server.js";
export type { MetricsAccess } from "./http/token-access.js";
export { SeldomReport } from "./http/seldom-report.js";
export { isReadable, type KindHealth, usualTimes } from "./cluster/reflector.js";
export { isSameMoment, type Situation, situationOf, type SituationSource } from "./cluster/situation.js";
export { chartFiles } from "./install/chart.js";
export { installObjects, type Part, parts } from "./install/install.js";
export { cleanupObjects } from "./install/cleanup.js";
export { cleanUpCluster } from "./uninstall/cleanup-cluster.js";
export { cleanupText, installFiles, installText, kustomizeFiles } from "./install/install-files.js";
export { problemWith } from "./install/setting-kinds.js";
export { type SettingPath, settingPaths, settings, usualValues, type Values } from "./install/settings.js";
export { AnalystThread } from "./webhook/analyst-thread.js";
export { issue, type Issued } from "./webhook/certificates/issue.js";
export type { CertificateTimes } from "./webhook/certificates/schedule.js";
export { usualConfiguration, webhookConfiguration } from "./webhook/configuration.js";
export { serviceHost, Webhook } from "./webhook/webhook.js";
export { ClientAuthority, type ClientOptions } from "./webhook/client-authority.js";
export { WebhookServer } from "./webhook/webhook-server.js";
export { filesIn, type FoundFiles, WatchedFiles, type WatchedPaths } from "./files/watched-files.js";
export { makeFolder, replaceFile } from "./files/make-folder.js";
export { listAt, textAt } from "./cluster/object-fields.js";
export { BackgroundTask, pause } from "./timing/pause.js";
