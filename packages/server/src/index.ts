export {
  ClusterFeed,
  clusterTitle,
  openCluster,
  type OpenedCluster,
  type WatchedCluster,
} from "./cluster-feed.js";
export type { Shown, StateFeed } from "./feed.js";
export { FileFeed, type FileFeedOptions, type OpenedFiles } from "./file-feed.js";
export { type PageOptions, type RunningPage, type StartedPage, startPage } from "./start-page.js";
