import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AdminModel, anyAdminModel, spell } from "../../testing/arbitrary/arbitrary-admin.js";
import { anyKepPolicy } from "../../testing/arbitrary/arbitrary-kep.js";
import { named } from "../../testing/arbitrary/arbitrary-policies.js";
import { type Manifest, anyOf } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";

interface Placed {
  readonly policy: Manifest;
  /** 0 first. */
  readonly precedence: number;
  /** The position of its API in the table of tiers. */
  readonly api: number;
  /** The same policy with another precedence. */
  readonly at: (precedence: number) => Manifest;
}

// Few numbers, so that many policies share one.
const priority = anyOf(1, 2, 3);

const admin = (spelling: "seed" | "cluster" | "released", api: number) =>
  fc
    .tuple(anyAdminModel({ tier: "admin" }), priority)
    .map(([model, precedence]) => (name: string): Placed => {
      const forAll: AdminModel = { ...model, subject: { namespaces: {} } };
      const at = (p: number) => named(spell({ ...forAll, priority: p }, spelling), name);
      return { policy: at(precedence), precedence, api, at };
    });

const kep = fc
  .tuple(anyKepPolicy(), priority)
  .map(([{ spec, ...head }, precedence]) => (name: string): Placed => {
    const at = (p: number) =>
      named({ ...head, spec: { ...spec!, subject: { namespaceSelector: {} }, priority: 1000 - p } }, name);
    return { policy: at(precedence), precedence, api: 3, at };
  });

const byOrder = (a: Placed, b: Placed) =>
  a.precedence - b.precedence || a.api - b.api || (a.policy.metadata.name < b.policy.metadata.name ? -1 : 1);

describe("precedence", () => {
  it("S1.12, S1.13: separate priorities for all policies, in the order of precedence, API and name, change nothing", () => {
    const policies = fc
      .array(
        fc.tuple(
          fc.oneof(admin("seed", 1), admin("cluster", 1), admin("released", 2), kep),
          anyOf("c", "a", "b"),
        ),
        {
          minLength: 2,
          maxLength: 6,
        },
      )
      .map((list) => list.map(([make, letter], i) => make(`x-${letter}${i}`)));
    const kinds = ["NetworkPolicy", "default policy"] as const;
    fc.assert(
      fc.property(anyScenario({ kinds, maxLength: 2 }), policies, (scenario, placed) => {
        const ranked = placed.toSorted(byOrder).map(({ at }, i) => at(10 * i + 5));
        const original = placed.map(({ policy }) => policy);
        expect(verdictsIn(stateIn(scenario, [...scenario.policies, ...ranked]), scenario.questions)).toEqual(
          verdictsIn(stateIn(scenario, [...scenario.policies, ...original]), scenario.questions),
        );
      }),
      { numRuns: 60 },
    );
  });
});
