import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFull } from "../../../../test/slice.mjs";
import { anyPolicies, named } from "../../testing/arbitrary/arbitrary-policies.js";
import { watchedPolicy } from "../../testing/arbitrary/arbitrary-watched.js";
import { stateOf } from "../../testing/arbitrary/scenario.js";
import { dice } from "../../testing/encoder-agreement.js";
import { proven } from "../../testing/proven.js";
import { respellPolicy } from "../../testing/transform/respell.js";
import { anyClaim } from "../../testing/z3/arbitrary-claim.js";
import { claimConstants, claimScript } from "../../testing/z3/claim-script.js";
import { notCovered } from "../../testing/z3/rule-formula.js";
import { sameConstants, sameScript } from "../../testing/z3/same-script.js";
import { Z3 } from "../../testing/z3/z3.js";
import type { Tiers } from "../policy/model.js";
import { type Claim, type Proof, Prover, readGuarantees } from "../prove/guarantee/index.js";
import { compareEverywhere } from "../prove/same/index.js";
import { readState, type State } from "../state/state.js";

let z3: Z3;
beforeAll(async () => {
  z3 = await Z3.start();
});
afterAll(() => z3.end());

async function answerOfZ3(claim: Claim, tiers: Tiers): Promise<Proof["result"]> {
  const [applies, isViolated] = await z3.satisfiable(claimScript(claim, tiers), claimConstants);
  if (isViolated) return "Refuted";
  return applies ? "Proven" : "Vacuous";
}

const rulesOf = ({ tiers }: State) => [...tiers.ingress, ...tiers.egress].flatMap(({ rules }) => rules);

describe("what is proven of every cluster, decided again by z3 from another encoding", () => {
  const examples = new URL("../../../../examples/", import.meta.url);
  const folders = readdirSync(examples).filter((name) => name.startsWith("guarantees-"));

  it.each(folders)("S11.3: %s", async (folder) => {
    const text = (file: string) => readFileSync(new URL(`${folder}/${file}`, examples), "utf8");
    const state = readState([{ file: "policies.yaml", text: text("policies.yaml") }]);
    expect(rulesOf(state).map((rule) => notCovered(rule))).toEqual(rulesOf(state).map(() => undefined));
    for (const [file, result] of [
      ["holds.yaml", "Proven"],
      ["refuted.yaml", "Refuted"],
    ] as const) {
      const { guarantees } = readGuarantees(text(file), file);
      expect(guarantees.length).toBeGreaterThan(0);
      for (const { name, claim, assuming } of guarantees) {
        expect(`${name}: ${assuming.length} assumptions`).toBe(`${name}: 0 assumptions`);
        const asked = { ...claim, assumptions: [] };
        expect(`${name}: ${new Prover(state).prove(asked).result}`).toBe(`${name}: ${result}`);
        expect(`${name}: ${await answerOfZ3(asked, state.tiers)}`).toBe(`${name}: ${result}`);
      }
    }
  });

  // Random policies rarely deny all nodes.
  it.each([
    [
      "S7.8: a deny item binds a pod's own node",
      "ingressDeny: [{fromEntities: [host, remote-node]}]",
      "Proven",
    ],
    [
      "S7.8: on its ports",
      'ingressDeny: [{fromEntities: [all], toPorts: [{ports: [{port: "80"}]}]}]',
      "Refuted",
    ],
    ["S1.6: isolation does not bind it", "ingress: [{fromEntities: [world]}]", "Refuted"],
  ])("%s", async (_, section, result) => {
    const kind = "apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: nodes}";
    const policies = `${kind}\nspec: {endpointSelector: {}, ${section}}\n`;
    const { guarantee, proof } = proven(policies, "from: {nodes: {}}\nto: {namespaces: {}}\nverdict: Deny");
    const { tiers } = readState([{ file: "policies.yaml", text: policies }]);
    expect(proof?.result).toBe(result);
    expect(await answerOfZ3({ ...guarantee.claim, assumptions: [] }, tiers)).toBe(result);
  });

  it.each([
    ["every API", { minLength: 3, maxLength: 9 }, 200],
    // It has the most kinds of peers.
    ["Cilium", { kinds: ["Cilium"], minLength: 1, maxLength: 3 }, 120],
  ] as const)("S11.1 to S11.5: random claims about random policies of %s", async (api, choices, numRuns) => {
    const seen = { Proven: 0, Refuted: 0, Vacuous: 0, NotDecided: 0 };
    const dialects = new Set<string>();
    let [kept, leftOut] = [0, 0];
    await fc.assert(
      fc.asyncProperty(anyPolicies(choices), anyClaim, async (manifests, claim) => {
        const written = stateOf(manifests);
        // Policies with parts that the second encoding does not have are left out, on both sides.
        const covered = written.definitions.filter(({ lowered }) =>
          lowered.rules.every(({ rule }) => notCovered(rule) === undefined),
        );
        kept += covered.length;
        leftOut += written.definitions.length - covered.length;
        const state = written.withDefinitions(covered);
        for (const { dialect } of state.policies) dialects.add(dialect);
        const prover = new Prover(state);
        for (const verdict of ["Deny", "Allow"] as const) {
          const { result } = prover.prove({ ...claim, verdict });
          seen[result]++;
          expect(`${verdict}: ${result}`).toBe(
            `${verdict}: ${await answerOfZ3({ ...claim, verdict }, state.tiers)}`,
          );
        }
      }),
      { numRuns },
    );
    expect(kept).toBeGreaterThan(leftOut);
    expect(Math.min(seen.Proven, seen.Refuted)).toBeGreaterThan(isFull ? 10 : 0);
    if (isFull) expect(dialects.size).toBe(api === "Cilium" ? 1 : 6);
  });

  it("S11.6: whether random policies of Cilium are the same as others that are written differently", async () => {
    const seen = { Same: 0, Different: 0, NotDecided: 0 };
    const policies = fc.array(watchedPolicy, { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(policies, fc.integer(), async (list, seed) => {
        const roll = dice(seed);
        const manifests = list.map((body, i) => named(body, `policy-${i}`));
        const [before, after] = [manifests, manifests.map((policy) => respellPolicy(policy, roll))].map(
          (written) => {
            const state = stateOf(written);
            const isCovered = (definition: (typeof state.definitions)[number]) =>
              definition.lowered.rules.every(({ rule }) => notCovered(rule, true) === undefined);
            return state.withDefinitions(state.definitions.filter(isCovered));
          },
        );
        const { result } = compareEverywhere(before!, after!);
        seen[result]++;
        const [differs] = await z3.satisfiable(sameScript(before!.tiers, after!.tiers), sameConstants);
        expect(result).toBe(differs === true ? "Different" : "Same");
      }),
      { numRuns: 50 },
    );
    expect(Math.min(seen.Same, seen.Different)).toBeGreaterThan(isFull ? 5 : 0);
  });
});
