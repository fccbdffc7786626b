/// <reference types="node" />

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Question } from "../analysis/explain/ask.js";
import { snapshotOf } from "../state/snapshot/snapshot.js";
import { Words } from "../state/snapshot/words.js";
import { readState } from "../state/state.js";
import type { Facts } from "../cluster/model.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import {
  accounts,
  labelWords,
  namespaceNames,
  nodeNames,
  type LabelWords,
} from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { type Renaming, rename } from "../../testing/transform/rename.js";
import {
  anyScenario,
  type Scenario,
  stateIn,
  tellingsIn,
  verdictsIn,
} from "../../testing/arbitrary/scenario.js";

const hash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

function sourcesOf({ cluster, policies }: Scenario) {
  const objects = [...manifestsOf(cluster), ...policies];
  return objects.map((object, i) => ({ file: `${i}.json`, text: JSON.stringify(object) }));
}

function readBack(text: string, facts: Partial<Facts>) {
  const state = readState([{ file: "snapshot.json", text }], { facts });
  expect(state.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return state;
}

describe("a snapshot", () => {
  it("contains all that verdicts depend on", () => {
    fc.assert(
      fc.property(anyScenario({ minLength: 1 }), (scenario) => {
        const state = readBack(snapshotOf(sourcesOf(scenario)).text, scenario.facts);
        expect(tellingsIn(state, scenario.questions)).toEqual(
          tellingsIn(stateIn(scenario), scenario.questions),
        );
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ["any API", { minLength: 1 }, 60],
    // Its selectors have keys that are not labels, and labels that do not count.
    ["Cilium", { kinds: ["Cilium"] as const, minLength: 2, maxLength: 4 }, 40],
  ])("of %s gives the same verdicts when redacted, and contains no names", (_what, choices, numRuns) => {
    fc.assert(
      fc.property(anyScenario(choices), (scenario) => {
        const words = new Words(hash, [], scenario.policies as never);
        const names = renamingOf(scenario, words);
        const facts = {
          ...scenario.facts,
          ...(scenario.facts.dns === undefined
            ? {}
            : {
                dns: scenario.facts.dns.map((record) => ({ ...record, name: words.domain(record.name) })),
              }),
        };
        const { text } = snapshotOf(sourcesOf(scenario), { redact: hash });
        const questions = rename<readonly Question[]>(scenario.questions, names);
        expect(verdictsIn(readBack(text, facts), questions)).toEqual(
          verdictsIn(stateIn(scenario), scenario.questions),
        );
        for (const name of [...namespaceNames, "robot", "pod-0", "zone", "svc-web", "group-1"])
          expect(text).not.toContain(`"${name}"`);
      }),
      { numRuns },
    );
  });
});

/** The replacement of each word of the vocabulary in the redacted snapshot. */
function renamingOf({ cluster }: Scenario, words: Words): Renaming {
  const labels = Object.values<LabelWords>(labelWords).flatMap((some) => Object.entries(some));
  const values = labels.flatMap(([, those]) => [...those]);
  const called = [
    ...cluster.pods.map(({ name }) => name),
    ...cluster.extras.map(({ metadata }) => metadata.name),
  ];
  const names = [...namespaceNames, ...accounts, ...nodeNames, ...called];
  return Object.fromEntries([
    ...[...names, ...values].map((word) => [word, words.word(word)]),
    ...["pod", ...labels.map(([key]) => key)].map((key) => [key, words.labelKey(key)]),
  ]) as Renaming;
}
