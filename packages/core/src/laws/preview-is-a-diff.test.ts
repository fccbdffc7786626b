import fc from "fast-check";
import { expect, it } from "vitest";
import { compareStates } from "../analysis/changes/compare.js";
import { readEdited } from "../state/edit/edited-state.js";
import { preview } from "../analysis/preview/preview.js";
import { parseRemoval, type Removal } from "../state/edit/removal.js";
import { changesFields } from "../report/changes/changes-json.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyEdit } from "../../testing/arbitrary/edited-scenario.js";
import { stateOf } from "../../testing/arbitrary/scenario.js";
import type { StateChanges } from "../analysis/changes/changes.js";

const removalOf = ({ apiVersion, kind, metadata: { namespace, name } }: Manifest): Removal => {
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "core";
  const parsed = parseRemoval(`${kind}.${group}/${namespace === undefined ? "" : `${namespace}/`}${name}`);
  if (!parsed.ok) throw new Error(parsed.diagnostic.message);
  return parsed.value;
};
const identityOf = ({ apiVersion, kind, metadata }: Manifest) =>
  `${apiVersion.split("/")[0]} ${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
const sourcesOf = (objects: readonly Manifest[]) =>
  objects.map((object, i) => ({ file: `${i}.json`, text: JSON.stringify(object) }));

/** The report without places and without the choice of examples. */
const summary = (changes: StateChanges) => {
  const { changes: rows, ...rest } = changesFields(changes) as { readonly changes: readonly object[] };
  const plain = (value: unknown) =>
    JSON.stringify(value, (key, item: unknown) =>
      ["file", "line", "example"].includes(key) ? undefined : item,
    );
  return { rest: plain(rest), rows: rows.map(plain).toSorted() };
};

it("a preview reports the same as a diff of the states before and after", () => {
  fc.assert(
    fc.property(anyEdit, ({ scenario, cluster, policies }) => {
      const before = [...manifestsOf(scenario.cluster), ...scenario.policies];
      const after = [...manifestsOf(cluster), ...policies];
      const [was, is] = [
        new Map(before.map((one) => [identityOf(one), one])),
        new Set(after.map(identityOf)),
      ];
      const isChanged = (one: Manifest) => JSON.stringify(was.get(identityOf(one))) !== JSON.stringify(one);
      const options = { facts: scenario.facts };
      const edited = readEdited(
        sourcesOf(before),
        {
          apply: sourcesOf(after.filter(isChanged)),
          remove: before.filter((one) => !is.has(identityOf(one))).map(removalOf),
        },
        options,
      );
      expect(edited.diagnostics).toEqual([]);
      const wanted = compareStates(stateOf(before, options), stateOf(after, options), "pod");
      expect(summary(preview(edited, "pod").changes)).toEqual(summary(wanted));
    }),
    { numRuns: Number(process.env.RUNS ?? 40) },
  );
});
