import fc from "fast-check";
import { expect, it } from "vitest";
import { isFull } from "../../../../../test/slice.mjs";
import { anyScenario, stateIn } from "../../../testing/arbitrary/scenario.js";
import { type EndGroup, groupEnds } from "./end-groups.js";
import { compile } from "../engine.js";
import { IngressAnswers } from "./ingress-answers.js";
import { OutcomeAnswers } from "./outcome-answers.js";

function answersFor(ingress: IngressAnswers, source: EndGroup): Uint32Array {
  const { answers, singled, singledAnswers } = ingress.for(source);
  const found = answers.slice();
  for (const [k, row] of singled.entries()) found[row] = singledAnswers[k]!;
  return found;
}

it("are the same whichever tiers are taken to single out few, in whatever order sources are asked about", () => {
  let compared = 0;
  fc.assert(
    fc.property(
      anyScenario({ minPods: 4, maxPods: 8, minLength: 3, maxLength: 8 }),
      fc.nat(63),
      fc.array(fc.nat(20), { minLength: 2, maxLength: 12 }),
      (scenario, sparse, order) => {
        const { cluster, tiers } = stateIn(scenario);
        const engine = compile(cluster, tiers);
        const view = engine.view(4);
        const { groups, layers } = groupEnds(engine.ends, view);
        const pods = groups.filter(({ kind }) => kind === "pod");
        if (pods.length === 0) return;
        const answersIf = (isSparse: (number: number) => boolean) =>
          new IngressAnswers(view, layers.ingress, pods, new OutcomeAnswers(view), (layer) =>
            isSparse(layers.ingress.indexOf(layer)),
          );
        const some = answersIf((number) => ((sparse >> number) & 1) === 1);
        for (const number of order) {
          const source = pods[number % pods.length]!;
          // One that was never asked before cannot be wrong because of what it was asked.
          const none = answersIf(() => false);
          const wanted = answersFor(none, source);
          const found = answersFor(some, source);
          for (const i of pods.keys()) {
            compared++;
            expect(found[some.at[i]!]).toBe(wanted[none.at[i]!]);
          }
        }
      },
    ),
  );
  expect(compared).toBeGreaterThan(isFull ? 1000 : 0);
});
