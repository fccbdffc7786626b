import fc from "fast-check";
import { expect, it } from "vitest";
import { consequencesOf } from "../analysis/consequences/consequences.js";
import { precedenceOf } from "../analysis/preview/precedence.js";
import { Reader } from "../analysis/endpoints/reader.js";
import { compile } from "../engine/engine.js";
import { consequenceWarnings, precedenceWarnings } from "../report/warnings.js";
import { anyHistory } from "../../testing/arbitrary/history.js";

it("warnings name nothing that the reader may not read, and count the same connections for all", () => {
  fc.assert(
    fc.property(anyHistory, fc.infiniteStream(fc.boolean()), (history, coins) => {
      const [before, { tiers }] = [history[0]!, history.at(-1)!];
      const { cluster } = before;
      const inNamespaces = new Set([...cluster.namespaces.keys()].filter(() => coins.next().value));
      const engine = compile(cluster, before.tiers);
      const pairs = [...engine.update({ tiers }).pairs];
      const reader = new Reader(new Map([[" Pod", inNamespaces]]));
      const found = consequencesOf(engine, pairs, reader);
      const all = consequencesOf(engine, pairs);
      for (const name of ["denied", "allowed", "unsure"] as const)
        expect(found[name]?.connections).toBe(all[name]?.connections);
      const texts = consequenceWarnings(found, reader).map(({ text }) => text);
      const policies = new Set(
        [...tiers.ingress, ...tiers.egress].flatMap(({ rules }) => rules.map(({ origin }) => origin.policy)),
      );
      for (const policy of policies)
        texts.push(
          ...precedenceWarnings(precedenceOf(engine, new Set([policy])), policy, reader).map(
            ({ text }) => text,
          ),
        );
      const hidden = [...cluster.pods.values()].filter(({ namespace }) => !inNamespaces.has(namespace));
      const names = [
        ...hidden.flatMap(({ namespace, name, workload }) => [
          `${namespace}/${name}`,
          `${namespace}/${workload?.name ?? name}`,
        ]),
        ...[...policies].map(({ namespace, name }) =>
          namespace === undefined ? `Policy ${name}` : `${namespace}/${name}`,
        ),
        ...[...cluster.nodes.keys()].map((name) => `node ${name}`),
      ];
      for (const text of texts)
        expect([
          text,
          names.filter((name) => ` ${text.replaceAll(/[,;:]/g, "")} `.includes(` ${name} `)),
        ]).toEqual([text, []]);
    }),
    { numRuns: Number(process.env.RUNS ?? 20) },
  );
});
