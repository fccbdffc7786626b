import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Question } from "../analysis/ask.js";
import { manifestsOf } from "../testing/arbitrary-cluster.js";
import type { Manifest } from "../testing/arbitrary-vocabulary.js";
import { anyScenario, stateIn, stateOf, verdictsIn } from "../testing/scenario.js";

/** Names exchange places and label values too, so that nothing can hang on their order or on what they are called. */
const renamings: readonly Readonly<Record<string, string>>[] = [
  { alpha: "beta", beta: "alpha", gamma: "delta", delta: "gamma" },
  { team: "company.example/squad", env: "app", app: "env" },
  { red: "blue", blue: "red", prod: "0", dev: "A_b.c", web: "x" },
  { default: "robot", robot: "default", "node-1": "node-2", "node-2": "node-1" },
];

const prefixes = ["k8s:", "any:", "io.cilium.k8s.namespace.labels.", "k8s:io.cilium.k8s.namespace.labels."];

/** Every word, also where Cilium writes something before it; other texts stay. */
function renameWord(text: string, names: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(names, text)) return names[text]!;
  const prefix = prefixes.find((p) => text.startsWith(p) && Object.hasOwn(names, text.slice(p.length)));
  return prefix === undefined ? text : prefix + names[text.slice(prefix.length)]!;
}

function rename<T>(value: T, names: Readonly<Record<string, string>>): T {
  if (typeof value === "string") return renameWord(value, names) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => rename(item, names)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      renameWord(key, names),
      // The name that BaselineAdminNetworkPolicy must have is no account.
      key === "metadata" ? renameMetadata(item as Manifest["metadata"], names) : rename(item, names),
    ]),
  ) as T;
}

const renameMetadata = (metadata: Manifest["metadata"], names: Readonly<Record<string, string>>) =>
  metadata.name === "default" ? metadata : { ...rename({ ...metadata }, names) };

describe("renaming", () => {
  it.each([...renamings, Object.assign({}, ...renamings) as (typeof renamings)[number]])(
    "S1.10: labels, namespaces, nodes and accounts consistently changes no verdict: %j",
    (names) => {
      fc.assert(
        fc.property(anyScenario({ minLength: 1 }), (scenario) => {
          const objects = [...manifestsOf(scenario.cluster), ...scenario.policies];
          const renamed = stateOf(rename(objects, names), { facts: scenario.facts });
          const questions = rename<readonly Question[]>(scenario.questions, names);
          expect(verdictsIn(renamed, questions)).toEqual(verdictsIn(stateIn(scenario), scenario.questions));
        }),
        { numRuns: 50 },
      );
    },
  );
});
