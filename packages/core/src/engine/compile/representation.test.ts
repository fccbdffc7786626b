import { describe, expect, it } from "vitest";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { stateOf } from "../../testing/arbitrary/scenario.js";
import { Answers } from "./answers.js";
import { Ends } from "../classes/ends.js";
import { PortSets } from "../../sets/port-sets.js";
import { type Limits, representationFor } from "./representation.js";
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
  it.each<{ readonly peers: number; readonly again?: number; readonly limits?: Limits; found: string }>([
    { peers: 2, found: "tables" },
    { peers: 2, limits: { entries: 20, words: 1 }, found: "tables" },
    { peers: 2, limits: { entries: 19, words: 1 }, found: "streamed" },
    { peers: 10, again: 3, limits: { entries: 100, words: 1 }, found: "tables" },
    { peers: 10, again: 3, limits: { entries: 99, words: 1 }, found: "streamed" },
  ])("by tables while they are small: $found for ten rows of $peers, with $limits", (example) => {
    expect(representationFor(viewOf(example), example.limits)).toBe(example.found);
  });

  it.each([
    [1, "streamed"],
    [0.5, "tables"],
  ])("by tables as well where twenty borders of ports do not fit into %d words: %s", (words, found) => {
    expect(representationFor(viewOf({ peers: 2 }), { entries: 0, words })).toBe(found);
  });
});
