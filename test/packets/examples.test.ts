import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ConnectivityTest, readConnectivityTests } from "@tierwall/core/analysis";
import { readState, type State } from "@tierwall/core/state";
import { describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { because, labIsMissing, labTimeout } from "./lab/requirements.js";
import { replay } from "./replay.js";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const folders = readdirSync(examples, { withFileTypes: true })
  // Guarantees are about all clusters, and have none of their own.
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith("guarantees-"))
  .map((entry) => entry.name);

const manifestsAt = (path: string): readonly string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".yaml"))
        .map((file) => join(path, file))
    : [path];

const testsIn = (folder: string): readonly ConnectivityTest[] =>
  manifestsAt(join(examples, folder)).flatMap(
    (file) => readConnectivityTests(readFileSync(file, "utf8"), file).tests,
  );

/** Tests that are given the same files are about the same state. */
function states(
  folder: string,
): readonly { readonly state: State; readonly tests: readonly ConnectivityTest[] }[] {
  const byFiles = new Map<string, ConnectivityTest[]>();
  for (const test of testsIn(folder)) {
    const files = test.given.flatMap(({ path }) => manifestsAt(join(dirname(test.file), path)));
    byFiles.set(files.join("\n"), [...(byFiles.get(files.join("\n")) ?? []), test]);
  }
  return [...byFiles].map(([files, tests]) => ({
    tests,
    state: readState(files.split("\n").map((file) => ({ file, text: readFileSync(file, "utf8") }))),
  }));
}

/** What no packet can show, by folder: nothing else may be left out. */
const leftOut: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // What an object of another API does cannot be shown either (S9.3).
  "foreign-policies": { "undecided: a packet cannot show what is unknown": 2 },
  "npep285-story1-many-baselines": { "undecided: a packet cannot show what is unknown": 1 },
};

/** `npm test` takes them in turn, and `npm run test:packets` both. */
const wirings = ["routed", "bridged"] as const;
const both = process.env.TIERWALL_PACKET_WIRINGS === "both";
const cases = folders.flatMap((folder, i) =>
  wirings.filter((_, j) => both || i % 2 === j).map((wiring) => ({ folder, wiring })),
);

const reason = labIsMissing();
vi.setConfig({ testTimeout: labTimeout });

describe.skipIf(reason !== undefined)(`every example holds on the wire${because(reason)}`, () => {
  const isInSlice = (place: number) => place % 5 === 0;
  it.each(cases.filter((_, i) => isInSlice(i)))("$folder, pods $wiring", holds);
  it.each(cases.filter((_, i) => !isInSlice(i)))("$folder, pods $wiring", onlyInFull, holds);

  async function holds({ folder, wiring }: (typeof cases)[number]): Promise<void> {
    const counts: Record<string, number> = {};
    for (const { state, tests } of states(folder)) {
      const replayed = await replay(state, tests, wiring);
      expect(replayed.complaints).toEqual([]);
      for (const [why, count] of replayed.leftOut) counts[why] = (counts[why] ?? 0) + count;
    }
    expect(counts).toEqual(leftOut[folder] ?? {});
  }
});
