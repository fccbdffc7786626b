import { evaluate, type Verdict } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Tiers } from "../../policy/model.js";
import type { Caveat } from "../caveat.js";
import type { State } from "../state.js";
import {
  type Difference,
  differencesOf,
  enforcedAs,
  type EnforcerName,
  enforcerNames,
  enforcers,
} from "./differences.js";

/**
 * S9.8: the implementations that would give this connection another verdict. Only those are asked that enforce every
 * policy API of the state: another one cannot be the one in use.
 */
export function implementationCaveats(state: State, flow: Flow, verdict: Verdict): readonly Caveat[] {
  if (state.enforcer !== undefined) return [];
  const groups = new Map<string, { readonly verdict: Verdict; readonly names: EnforcerName[] }>();
  for (const name of enforcerNames) {
    const { enforces } = enforcers[name];
    if (!state.policies.every(({ dialect }) => enforces.includes(dialect))) continue;
    const other = evaluate(state.cluster, tiersAs(state, name), flow).verdict;
    if (other === verdict) continue;
    const reasons = reasonsFor(state, flow, verdict, name).map(
      ({ instead, statement }) => `${instead} (${statement})`,
    );
    const text = `${other} instead: it ${reasons.join("; it ")}`;
    const group = groups.get(text) ?? { verdict: other, names: [] };
    group.names.push(name);
    groups.set(text, group);
  }
  return Array.from(groups, ([text, { verdict, names }]) => ({
    kind: "implementation",
    enforcers: names,
    verdict,
    text: `${names.map((name) => enforcers[name].title).join(" or ")} answers ${text}`,
  }));
}

/** The differences that change the verdict by themselves; all of them where it takes several. */
function reasonsFor(state: State, flow: Flow, verdict: Verdict, name: EnforcerName): readonly Difference[] {
  const all = differencesOf(name).filter(({ apply }) => apply !== undefined);
  const alone = all.filter((difference) => {
    const tiers = state.assemble(enforcedAs(state.definitions, name, [difference]));
    return evaluate(state.cluster, tiers, flow).verdict !== verdict;
  });
  return alone.length > 0 ? alone : all;
}

/** The tiers as an implementation enforces them, made once for each state. */
function tiersAs(state: State, name: EnforcerName): Tiers {
  const made = known.get(state) ?? new Map<EnforcerName, Tiers>();
  known.set(state, made);
  const tiers = made.get(name) ?? state.assemble(enforcedAs(state.definitions, name));
  made.set(name, tiers);
  return tiers;
}

const known = new WeakMap<State, Map<EnforcerName, Tiers>>();
