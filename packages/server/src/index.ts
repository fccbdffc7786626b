export type { Shown, StateFeed } from "./feed.js";
export { FileFeed, type FileFeedOptions } from "./file-feed.js";
export { type PageOptions, type RunningPage, type StartedPage, startPage } from "./start-page.js";
