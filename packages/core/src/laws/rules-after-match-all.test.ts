import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AdminModel,
  anyAdminModel,
  anyAdminRule,
  asBaseline,
  everyPeer,
  type AdminSpelling,
  spell,
} from "../../testing/arbitrary/arbitrary-admin.js";
import {
  anyGuardrail,
  type WrittenDraftRule,
  type DraftSpec,
  draftRule,
} from "../../testing/arbitrary/arbitrary-first-draft.js";
import { anyKepPolicy, type KepSpec } from "../../testing/arbitrary/arbitrary-kep.js";
import { named } from "../../testing/arbitrary/arbitrary-policies.js";
import { fields, type Manifest, anyOf, type Unnamed } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, type Scenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";

const directions = ["ingress", "egress"] as const;
const others = ["NetworkPolicy", "default policy", "Cilium"] as const;

/** Only egress rules of these APIs can match everything; ingress rules match every pod. */
const betweenPods = ({ questions, cluster }: Scenario) =>
  questions.filter(({ from, to }) =>
    [from, to].every(
      (ref) =>
        ref.kind === "new" ||
        (ref.kind === "named" && cluster.pods.some((pod) => pod.name === ref.name && !pod.hostNetwork)),
    ),
  );

function expectSame(
  scenario: Scenario,
  a: readonly Manifest[],
  b: readonly Manifest[],
  questions = scenario.questions,
) {
  const [x, y] = [a, b].map((more) =>
    verdictsIn(stateIn(scenario, [...scenario.policies, ...more]), questions),
  );
  expect(x).toEqual(y);
}

describe("a rule after one that matches everything", () => {
  it.each([
    ["S3.2", "admin", "seed"],
    ["S3.2", "baseline", "cluster"],
    ["S4.1", "admin", "released"],
    ["S4.1", "baseline", "released"],
  ] as const)(
    "%s: changes nothing, in the same %s policy (%s) or a later one of its subject",
    (_statement, tier, spelling: AdminSpelling) => {
      const added = fields({ ingress: anyAdminRule.ingress, egress: anyAdminRule.egress });
      const action = anyOf("Allow" as const, "Deny" as const, "Pass" as const);
      const model = anyAdminModel({ tier });
      fc.assert(
        fc.property(
          anyScenario({ kinds: others }),
          model,
          added,
          action,
          fc.boolean(),
          (scenario, model, added, action, later) => {
            const close = (direction: "ingress" | "egress") => ({
              [direction]: [...(model[direction] ?? []), { action, peers: everyPeer[direction] }],
            });
            const closed: AdminModel = { ...model, priority: 5, ...close("ingress"), ...close("egress") };
            const behind: AdminModel = { ...closed, ingress: [added.ingress], egress: [added.egress] };
            const appended: AdminModel = {
              ...closed,
              ingress: [...closed.ingress!, added.ingress],
              egress: [...closed.egress!, added.egress],
            };
            const write = (m: AdminModel, name: string) =>
              named(
                spell(spelling === "released" && tier === "baseline" ? asBaseline(m) : m, spelling),
                name,
              );
            // There is one BaselineAdminNetworkPolicy only, and by name the later policy would be first.
            const inOwnPolicy = later && !(spelling === "released" && tier === "baseline");
            const more = inOwnPolicy
              ? [write(closed, "z"), write({ ...behind, priority: 6 }, "a")]
              : [write(appended, "z")];
            expectSame(scenario, [write(closed, "z")], more, betweenPods(scenario));
            const egressOnly = (m: Manifest): Manifest => ({
              ...m,
              spec: { ...(m.spec as object), ingress: [] },
            });
            expectSame(scenario, [egressOnly(write(closed, "z"))], more.map(egressOnly));
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it("S5.1: changes nothing in a KEP AdminNetworkPolicy, nor in one of a smaller priority", () => {
    const policy = anyKepPolicy({ priorities: [500] });
    const action = anyOf("Allow" as const, "Deny" as const, "Pass" as const);
    fc.assert(
      fc.property(
        anyScenario({ kinds: others }),
        policy,
        anyKepPolicy(),
        action,
        (scenario, { spec, ...head }, behind, action) => {
          const every = [{ namespaces: { namespaceSelector: {} } }];
          const all = { action, l4Selector: { allPorts: true as const } };
          const closed: KepSpec = {
            ...spec!,
            ingress: [...(spec!.ingress ?? []), { ...all, from: every }],
            egress: [...(spec!.egress ?? []), { ...all, to: every }],
          };
          const longer: KepSpec = {
            ...closed,
            ingress: [...closed.ingress!, ...(behind.spec!.ingress ?? [])],
            egress: [...closed.egress!, ...(behind.spec!.egress ?? [])],
          };
          const later: KepSpec = { ...behind.spec!, subject: closed.subject, priority: 499 };
          const write = (body: KepSpec, name: string) => named({ ...head, spec: body }, name);
          const questions = betweenPods(scenario);
          expectSame(scenario, [write(closed, "z")], [write(longer, "z")], questions);
          expectSame(scenario, [write(closed, "z")], [write(closed, "z"), write(later, "a")], questions);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("S6.1: an Allow of the same subject changes nothing with a first-draft Deny without peers and ports", () => {
    fc.assert(
      fc.property(
        anyScenario({ kinds: others }),
        anyGuardrail(),
        fields(draftRule),
        (scenario, policy, added) => {
          const withRules = (
            extra: (direction: "ingress" | "egress") => readonly WrittenDraftRule[],
          ): Unnamed<DraftSpec> => {
            const lists = directions.map((direction) => [
              direction,
              [...(policy.spec![direction] ?? []), ...extra(direction)],
            ]);
            return { ...policy, spec: { ...policy.spec!, ...Object.fromEntries(lists) } as DraftSpec };
          };
          const closed = withRules(() => [{ action: "Deny" }]);
          // Traffic that an Empower rule exempts from Deny rules would reach the Allow rule: S6.1.
          const empowers = directions.some((d) =>
            policy.spec![d]?.some(({ action }) => action === "Empower"),
          );
          const action = empowers ? ("Deny" as const) : ("Allow" as const);
          const longer = withRules((d) => [{ action: "Deny" }, { ...added[d], action }]);
          expectSame(scenario, [named(closed, "z")], [named(longer, "z")]);
        },
      ),
      { numRuns: 50 },
    );
  });
});
