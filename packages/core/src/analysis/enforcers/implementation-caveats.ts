import { getOrInsert } from "../../collections/maps.js";
import { compileBoth, diffEngines } from "../../engine/index.js";
import { evaluate, type Verdict } from "../../evaluate/evaluate.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Tiers } from "../../policy/model.js";
import type { Caveat } from "../../state/caveat.js";
import type { State } from "../../state/state.js";
import {
  type EnforcerDifference,
  differencesOf,
  type EnforcerName,
  enforcerNames,
  enforcers,
} from "../../state/enforcers/differences.js";

/** S9.8: the implementations that would give this connection another verdict. */
export function implementationCaveats(state: State, flow: Flow, verdict: Verdict): readonly Caveat[] {
  if (state.enforcer !== undefined) return [];
  const groups = new Map<string, { readonly verdict: Verdict; readonly names: EnforcerName[] }>();
  for (const name of possibleEnforcers(state)) {
    const other = evaluate(state.cluster, tiersAs(state, name), flow).verdict;
    if (other === verdict) continue;
    const reasons = reasonsFor(state, flow, verdict, name).map(
      ({ instead, statement }) => `${instead} (${statement})`,
    );
    const text = `${other} instead: it ${reasons.join("; it ")}`;
    getOrInsert(groups, text, () => ({ verdict: other, names: [] })).names.push(name);
  }
  return Array.from(groups, ([text, { verdict, names }]) => ({
    kind: "implementation",
    enforcers: names,
    verdict,
    text: `${names.map((name) => enforcers[name].title).join(" or ")} answers ${text}`,
  }));
}

/** Comparing all connections takes several times as long as answering. Above this number of pods the user must request it. */
const comparedPods = 500;

/** S9.8, for answers about many connections: how many of them an implementation would answer differently. */
export function implementationCaveatsOfAll(state: State): readonly Caveat[] {
  if (state.enforcer !== undefined || state.policies.length === 0) return [];
  const names = possibleEnforcers(state);
  if (names.length === 0) return [];
  if (state.cluster.pods.size > comparedPods) {
    const text = `the answers were not compared with those of implementations (more than ${number(comparedPods)} pods); \`--enforcer\` answers as one of them would`;
    return [{ kind: "implementation", text, enforcers: names }];
  }
  return names.flatMap((name): readonly Caveat[] => {
    const engines = compileBoth(state, { ...state, tiers: tiersAs(state, name) });
    let connections = 0;
    for (const { count } of diffEngines(...engines)) connections += count;
    if (connections === 0) return [];
    const counted = `${number(connections)} ${connections === 1 ? "connection" : "connections"}`;
    const text = `${enforcers[name].title} answers ${counted} differently; \`--enforcer ${name}\` answers as it would`;
    return [{ kind: "implementation", text, enforcers: [name] }];
  });
}

const number = (value: number): string => value.toLocaleString("en");

/** Those that enforce every policy API of the state: others cannot be the one in use. */
const possibleEnforcers = (state: State): readonly EnforcerName[] =>
  enforcerNames.filter((name) =>
    state.policies.every(({ dialect }) => enforcers[name].enforces.includes(dialect)),
  );

/** The differences that change the verdict alone; all of them if it takes several. */
function reasonsFor(
  state: State,
  flow: Flow,
  verdict: Verdict,
  name: EnforcerName,
): readonly EnforcerDifference[] {
  const all = differencesOf(name).filter(({ apply }) => apply !== undefined);
  const alone = all.filter((difference) => {
    const tiers = state.tiersAs(name, [difference]);
    return evaluate(state.cluster, tiers, flow).verdict !== verdict;
  });
  return alone.length > 0 ? alone : all;
}

/** The tiers as an implementation enforces them, made once for each state. */
function tiersAs(state: State, name: EnforcerName): Tiers {
  const made = getOrInsert(known, state, () => new Map<EnforcerName, Tiers>());
  return getOrInsert(made, name, () => state.tiersAs(name));
}

const known = new WeakMap<State, Map<EnforcerName, Tiers>>();
