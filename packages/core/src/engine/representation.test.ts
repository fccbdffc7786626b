import { describe, expect, it } from "vitest";
import type { Manifest } from "../testing/arbitrary-vocabulary.js";
import { stateOf } from "../testing/scenario.js";
import { Answers } from "./answers.js";
import { Ends } from "./ends.js";
import { PortSets } from "./port-sets.js";
import { type Limits, representationFor } from "./representation.js";
import { View } from "./view.js";
import { vocabularyOf } from "./vocabulary.js";

const numbers = Array.from({ length: 10 }, (_, i) => i);

const pods = numbers.map(
  (i): Manifest => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "a", name: `pod-${i}`, labels: { app: `app-${i}` } },
    status: { podIP: `10.0.0.${i + 1}` },
  }),
);

/** Each of the ten pods may call two others, on a port of its own: ten rows, of two entries each. */
const policies = numbers.map(
  (i): Manifest => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: "a", name: `policy-${i}` },
    spec: {
      podSelector: { matchLabels: { app: `app-${i}` } },
      policyTypes: ["Egress"],
      egress: [
        {
          to: [1, 2].map((step) => ({
            podSelector: { matchLabels: { app: `app-${(i + step) % 10}` } },
          })),
          ports: [{ port: 1000 + 2 * i }],
        },
      ],
    },
  }),
);

const { cluster, tiers } = stateOf([
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } },
  ...pods,
  ...policies,
]);
const ends = new Ends(cluster, vocabularyOf(cluster, tiers));
const view = View.of(cluster, tiers, ends, new Answers(new PortSets()), 4);

describe("how all pairs are found", () => {
  it.each<{ readonly limits?: Limits; readonly found: string; readonly because: string }>([
    { found: "tables", because: "usual limits are for large clusters" },
    { limits: { entries: 20, words: 1 }, found: "tables", because: "there are not more than twenty entries" },
    { limits: { entries: 19, words: 1 }, found: "streamed", because: "there are more than nineteen" },
    { limits: { entries: 19, words: 0.5 }, found: "tables", because: "masks of sixteen bits are too small" },
  ])("$found: $because", ({ limits, found }) => {
    expect(representationFor(view, limits)).toBe(found);
  });
});
