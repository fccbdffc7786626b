import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { planCluster } from "../generate/plan.js";
import { shapes } from "../generate/shape.js";
import { snapshotOf } from "../generate/snapshot.js";
import { writeSnapshot } from "../generate/snapshot-files.js";
import { type MeasuredPart, measurePart, refuse } from "../measured-part.js";
import { measureFirstAnswer } from "./first-answer-row.js";
import { measureMatrix } from "./matrix-row.js";
import { chromiumPath } from "./opened-page.js";

const example = fileURLToPath(new URL("../../../examples/mixed-six-apis", import.meta.url));

const page: MeasuredPart = {
  name: "page",
  command: "npm run bench:page",
  title: "The page",
  about:
    ", with chromium: the example cluster, and a generated one of 2,400 pods under 4,900 policies, whose matrix has 5,875,776 " +
    "cells. Everything is computed in the browser.",
  rows: {
    example: () => measureFirstAnswer(example, 5),
    "matrix/2.4k": () => withBigCluster((folder) => measureMatrix(folder)),
  },
};

/** 2,400 pods in 240 namespaces under 4,900 policies. */
async function withBigCluster<T>(measure: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-bench-page-"));
  try {
    writeSnapshot(join(folder, "cluster.json"), snapshotOf(planCluster(shapes["2.4k/4.8k"], 1)), "json");
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode =
  chromiumPath === undefined
    ? refuse("chromium was not found; Debian's package is `chromium`")
    : await measurePart(page, process.argv.slice(2));
