import fc from "fast-check";
import { expect, it } from "vitest";
import { isFull } from "../../../../../test/slice.mjs";
import { anyPolicies } from "../../../testing/arbitrary/arbitrary-policies.js";
import { stateOf } from "../../../testing/arbitrary/scenario.js";
import { readState } from "../../state/state.js";
import type { JsonObject } from "../../manifest/document.js";
import type { Peer, PortMatch, Rule } from "../../policy/model.js";
import { pairContent } from "../encode/content.js";
import { ciliumItem } from "./cilium-item.js";

/** Each peer with each port. */
function pairsOf({ peers, ports }: Rule): readonly (readonly [Peer, PortMatch | "every"])[] {
  const all: readonly (PortMatch | "every")[] = ports === "every" ? [ports] : ports;
  return peers.flatMap((peer) => all.map((port) => [peer, port] as const));
}

/** The content of what an owner's policy allows, when it is read again. */
function readAgain(namespace: string, direction: "ingress" | "egress", item: JsonObject): readonly string[] {
  const text = JSON.stringify({
    apiVersion: "cilium.io/v2",
    kind: "CiliumNetworkPolicy",
    metadata: { name: "owner", namespace },
    spec: { endpointSelector: {}, [direction]: [item] },
  });
  const { definitions, diagnostics } = readState([{ file: "owner.json", text }]);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return definitions.flatMap(({ lowered }) =>
    lowered.rules.flatMap(({ rule }) => pairsOf(rule).map(([peer, port]) => pairContent(peer, port))),
  );
}

it("S7.7, S11.6: an owner can write the peer and port of any Cilium rule with the same content", () => {
  const seen = new Set<string>();
  const kinds = new Map<string, number>();
  fc.assert(
    fc.property(anyPolicies({ kinds: ["Cilium"], minLength: 1, maxLength: 3 }), (manifests) => {
      for (const { policy, lowered } of stateOf(manifests).definitions)
        for (const { rule } of lowered.rules)
          for (const [peer, port] of pairsOf(rule)) {
            const { direction } = rule.origin;
            const namespace = policy.namespace ?? "alpha";
            const content = `${namespace} ${direction} ${pairContent(peer, port)}`;
            if (seen.has(content)) continue;
            seen.add(content);
            const item = ciliumItem({ direction, action: "Allow", peer, port }, namespace);
            expect(readAgain(namespace, direction, item)).toContain(pairContent(peer, port));
            kinds.set(peer.kind, (kinds.get(peer.kind) ?? 0) + 1);
          }
    }),
    { numRuns: 100 },
  );
  if (!isFull) return;
  expect([...kinds.keys()].toSorted()).toEqual([
    "cidr-group",
    "domains",
    "endpoints",
    "entity",
    "everything",
    "networks",
    "pods",
    "unknown-set",
  ]);
});

it.each([
  [
    "its parts",
    'AWS instances, security group sg-1, sg-2, security groups named x, tags {"a":"b"}, region eu',
  ],
  ["a region alone", "AWS instances, region eu, tags x"],
  ["a name with words of the text", "AWS instances, security group a, tags b"],
])("S7.7: a group of a cloud provider is written with %s", (_, what) => {
  const peer: Peer = { kind: "unknown-set", what, reach: "external" };
  const item = ciliumItem({ direction: "ingress", action: "Allow", peer, port: "every" }, "alpha");
  expect(readAgain("alpha", "ingress", item)).toEqual([pairContent(peer, "every")]);
});
