import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FileFeed, type RunningPage, startPage } from "@tierwall/server";
import { pageFolder } from "@tierwall/ui";
import { afterAll, beforeAll } from "vitest";
import { bigCluster, type ClusterFolder } from "./big-cluster.js";
import { noChromium, startTimeout } from "./chromium.js";

const exampleFolder = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** The embedded example cluster. */
export const exampleCluster = exampleFolder("mixed-six-apis");

/** The built page on what a folder holds, as `tierwall serve` shows it. */
export async function servePage(folder: string, title = "Example cluster"): Promise<RunningPage> {
  if (!existsSync(new URL("index.html", pageFolder)))
    throw new Error("the page is not built: `npm run build` makes it");
  const opened = FileFeed.open({ paths: [folder], recursive: true, title });
  if (!opened.ok) throw new Error(opened.diagnostics.map(({ message }) => message).join("\n"));
  const started = await startPage({ feed: opened.feed, port: 0 });
  if (!started.ok) throw new Error(started.message);
  return started.page;
}

/** Serves the example cluster, 2,400 pods, or an example with guarantees, for the tests of a file. Returns the address of a page of it. */
export function useServer(
  which: "example" | "big" | `guarantees-${string}` = "example",
): (address?: string) => string {
  let page: RunningPage | undefined;
  let cluster: ClusterFolder | undefined;
  beforeAll(async () => {
    if (noChromium !== undefined) return;
    cluster = which === "big" ? bigCluster() : undefined;
    const example = which.startsWith("guarantees-") ? exampleFolder(which) : exampleCluster;
    page = await servePage(cluster?.folder ?? example, cluster && "A large cluster");
  }, startTimeout);
  afterAll(async () => {
    await page?.close();
    cluster?.remove();
  });
  return (address = "") => `${page!.url}${address}`;
}
