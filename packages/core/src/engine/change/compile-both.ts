import type { Cluster } from "../../cluster/model.js";
import type { Tiers } from "../../policy/model.js";
import { Answers } from "../compile/answers.js";
import { Engine } from "../engine.js";
import { PortSets } from "../../sets/port-sets.js";

interface Compilable {
  readonly cluster: Cluster;
  readonly tiers: Tiers;
}

/** Two engines that know port sets and answers by the same numbers, so that comparing them translates nothing. */
export function compileBoth(before: Compilable, after: Compilable): readonly [before: Engine, after: Engine] {
  const answers = new Answers(new PortSets());
  return [Engine.of(before.cluster, before.tiers, answers), Engine.of(after.cluster, after.tiers, answers)];
}
