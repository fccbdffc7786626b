import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";

type Json = Readonly<Record<string, unknown>>;

const none = { matchLabels: { absent: "here" } };
const peers = { namespaces: none };

/** A rule of each API that no connection matches; undefined where the API orders nothing by position. */
function idleRule({ apiVersion, kind, spec }: Manifest, way: "from" | "to"): Json | undefined {
  if (kind.startsWith("Cilium")) return { [`${way}Endpoints`]: [none] };
  if (kind === "NetworkPolicy") return { [way]: [{ podSelector: none }] };
  if (apiVersion.startsWith("netpol."))
    return {
      [way]: [{ namespaceSelector: none }],
      ...(kind === "ClusterNetworkPolicy" ? { action: "Deny" } : {}),
    };
  const { subject } = spec as { subject: Json };
  const isKep = "namespaceSelector" in subject || "namespaceAndPodSelector" in subject;
  return isKep
    ? {
        action: "Deny",
        [way]: [{ namespaces: { namespaceSelector: none } }],
        l4Selector: { allPorts: true },
      }
    : { action: "Deny", [way]: [peers] };
}

/** Puts so many idle rules before and between the others that positions get two digits. */
function padded(policy: Manifest): Manifest {
  const pad = (spec: Json): Json =>
    Object.fromEntries(
      Object.entries(spec).map(([key, list]) => {
        if (!/^(in|e)gress/.test(key) || !Array.isArray(list) || list.length === 0) return [key, list];
        const idle = idleRule(policy, key.startsWith("ingress") ? "from" : "to");
        return [key, list.flatMap((rule: unknown) => [...Array<typeof idle>(7).fill(idle), rule])];
      }),
    );
  return {
    ...policy,
    ...(policy.spec === undefined ? {} : { spec: pad(policy.spec as Json) }),
    ...(policy.specs === undefined ? {} : { specs: policy.specs.map((spec) => pad(spec as Json)) }),
  };
}

describe("rules that match nothing", () => {
  it.each(evaluatedKinds)("S1.1: change nothing in a %s, wherever they are and however many", (kind) => {
    fc.assert(
      fc.property(anyScenario({ kinds: [kind, "NetworkPolicy"], minLength: 1, maxLength: 3 }), (scenario) => {
        const more = scenario.policies.map(padded);
        expect(verdictsIn(stateIn(scenario, more), scenario.questions)).toEqual(
          verdictsIn(stateIn(scenario), scenario.questions),
        );
      }),
      { numRuns: 20 },
    );
  });
});
