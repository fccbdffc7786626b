import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../testing/arbitrary/arbitrary-vocabulary.js";
import { stateOf } from "../../../testing/arbitrary/scenario.js";
import { Answers } from "./answers.js";
import { Ends } from "../classes/ends.js";
import { PortSets } from "../../sets/port-sets.js";
import { representationFor } from "./representation.js";
import { View } from "./view.js";
import { vocabularyOf } from "../classes/vocabulary.js";

/** Each of ten pods may call `peers` others, and all again `again` times, on a port of its own. */
function viewOf({ peers, again = 0 }: { readonly peers: number; readonly again?: number }): View {
  const numbers = Array.from({ length: 10 }, (_, i) => i);
  const select = (i: number) => ({ podSelector: { matchLabels: { app: `app-${i % 10}` } } });
  const pods = numbers.map(
    (i): Manifest => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "a", name: `pod-${i}`, labels: { app: `app-${i}` } },
    }),
  );
  const policies = numbers.map((i): Manifest => {
    const to = numbers.slice(0, peers).map((step) => select(i + step));
    const egress = Array.from({ length: 1 + again }, () => ({ to, ports: [{ port: 1000 + 2 * i }] }));
    return {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { namespace: "a", name: `policy-${i}` },
      spec: { ...select(i), policyTypes: ["Egress"], egress },
    };
  });
  const namespace: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };
  const { cluster, tiers } = stateOf([namespace, ...pods, ...policies]);
  const ends = new Ends(cluster, vocabularyOf(cluster, tiers));
  return View.of(cluster, tiers, ends, new Answers(new PortSets()), 4);
}

describe("how all pairs are found", () => {
  it.each([
    { peers: 2, most: undefined, found: "tables" },
    { peers: 2, most: 20, found: "tables" },
    { peers: 2, most: 19, found: "streamed" },
    { peers: 10, again: 3, most: 100, found: "tables" },
    { peers: 10, again: 3, most: 99, found: "streamed" },
  ])(
    "by tables while they are small: $found for ten rows of $peers, with at most $most entries",
    (example) => {
      expect(representationFor(viewOf(example), example.most)).toBe(example.found);
    },
  );
});
