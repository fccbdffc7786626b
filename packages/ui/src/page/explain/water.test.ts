import { expect, test } from "vitest";
import type { RuleStep, StepView } from "../worker/questions/explain.js";
import { flowsOn, stopsAt } from "./water.js";

const rule = (action: RuleStep["rule"]["action"], result: RuleStep["result"]) =>
  ({ rule: { action }, result }) as RuleStep;
const step = (outcome: StepView["outcome"], rules: readonly RuleStep[] = [], isolated = false) =>
  ({ outcome, rules, isolators: isolated ? [{ kind: "option", option: "" }] : [] }) as unknown as StepView;

const walks: readonly {
  readonly name: string;
  readonly steps: readonly StepView[];
  readonly water: string;
}[] = [
  {
    name: "no rule matches: down to the ground",
    steps: [step("next"), step("next")],
    water: "flows flows → ground",
  },
  {
    name: "a denial stops it",
    steps: [step("next"), step("deny"), step("not-reached")],
    water: "flows stops dry → 1",
  },
  { name: "an allow ends the walk", steps: [step("allow"), step("not-reached")], water: "stops dry → 0" },
  { name: "a pass goes on", steps: [step("pass"), step("allow")], water: "flows stops → 1" },
  {
    name: "a rule that may match leaves all behind it open",
    steps: [step("undecided", [rule("Deny", "may-match")]), step("next")],
    water: "may-flow may-flow → ground",
  },
  {
    name: "behind a rule that may match, one that does has the last word",
    steps: [step("undecided", [rule("Allow", "may-match"), rule("Deny", "matches")]), step("next")],
    water: "stops dry → 0",
  },
  {
    name: "isolation has it, too",
    steps: [step("undecided", [rule("Allow", "may-match")], true), step("next")],
    water: "stops dry → 0",
  },
  {
    name: "unless what may match passes",
    steps: [step("undecided", [rule("Pass", "may-match"), rule("Deny", "matches")]), step("next")],
    water: "may-flow may-flow → ground",
  },
];

test.each(walks)("$name", ({ steps, water }) => {
  const drawn = steps.map((_, i) => flowsOn({ steps }, i)).join(" ");
  expect(`${drawn} → ${stopsAt({ steps })}`).toBe(water);
});
