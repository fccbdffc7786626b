import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CiliumItem,
  ciliumSections,
  type CiliumSpec,
} from "../../testing/arbitrary/arbitrary-cilium.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, type Scenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";

const directions = ["ingress", "egress"] as const;
const scenarios = anyScenario({ kinds: ["Cilium", "Cilium", "NetworkPolicy"], minLength: 1, maxLength: 3 });

const changed = (scenario: Scenario, change: (spec: CiliumSpec) => CiliumSpec): readonly Manifest[] =>
  scenario.policies.map((policy) => {
    if (!policy.kind.startsWith("Cilium")) return policy;
    const { spec, specs } = policy as Manifest<CiliumSpec>;
    return {
      ...policy,
      ...(spec === undefined ? {} : { spec: change(spec) }),
      ...(specs === undefined ? {} : { specs: specs.map(change) }),
    };
  });

const hasSection = (spec: CiliumSpec, direction: (typeof directions)[number]): boolean =>
  [...(spec[direction] ?? []), ...(spec[`${direction}Deny`] ?? [])].length > 0;

function expectSame(change: (spec: CiliumSpec) => CiliumSpec): void {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      expect(verdictsIn(stateIn(scenario, changed(scenario, change)), scenario.questions)).toEqual(
        verdictsIn(stateIn(scenario), scenario.questions),
      );
    }),
    { numRuns: 60 },
  );
}

describe("sections and items of a Cilium rule", () => {
  it("S7.2, S7.3: an empty item changes nothing in a direction that the rule already has a section for", () => {
    const empty: readonly CiliumItem[] = [{}];
    expectSame((spec) => {
      const sections = directions
        .filter((direction) => hasSection(spec, direction))
        .map((direction) => [direction, [...(spec[direction] ?? []), ...empty]]);
      return { ...spec, ...(Object.fromEntries(sections) as Partial<CiliumSpec>) };
    });
  });

  it("S7.3: nor does an item with an empty list of peers, whatever its ports", () => {
    const lists = ["Endpoints", "CIDR", "CIDRSet", "Entities"];
    const toPorts = [{ ports: [{ port: "0" }] }];
    expectSame((spec) => {
      const sections = ciliumSections.flatMap((section) => {
        const direction = section.startsWith("ingress") ? "ingress" : "egress";
        const way = direction === "ingress" ? "from" : "to";
        if (!hasSection(spec, direction)) return [];
        return [
          [section, [...lists.map((kind) => ({ [`${way}${kind}`]: [], toPorts })), ...(spec[section] ?? [])]],
        ];
      });
      return { ...spec, ...(Object.fromEntries(sections) as Partial<CiliumSpec>) };
    });
  });

  it("S7.2: enableDefaultDeny has no effect on a direction without a section", () => {
    expectSame((spec) => {
      const given = spec.enableDefaultDeny ?? {};
      const silent = directions.filter((direction) => !hasSection(spec, direction));
      const flipped = silent.map((direction) => [direction, !(given[direction] ?? true)]);
      return { ...spec, enableDefaultDeny: { ...given, ...(Object.fromEntries(flipped) as object) } };
    });
  });

  it("S7.2: enableDefaultDeny is true by default", () => {
    expectSame((spec) => ({
      ...spec,
      enableDefaultDeny: { ingress: true, egress: true, ...spec.enableDefaultDeny },
    }));
  });
});
