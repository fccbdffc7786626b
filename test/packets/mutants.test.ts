import { beforeAll, describe, expect, it } from "vitest";
import { stateIn } from "../../packages/core/testing/arbitrary/scenario.js";
import { isInSlice, onlyInFull } from "../slice.mjs";
import { disagreements, examOf } from "./comparison.js";
import { load, tablesOf } from "./enforce.js";
import { Lab } from "./lab/lab.js";
import { because, labIsMissing } from "./lab/requirements.js";
import { mutants } from "./mutants.js";
import { flowsIn, seriesOf } from "./scenarios.js";

const reason = labIsMissing();
/** Clusters to look in, sets of policies for each, and connections under each. */
const [clusters, sets, flows] = [8, 6, 250];
/** Today's: each is planted within so many days. */
const planted = mutants.filter((_, place) => isInSlice(place, 6));
const left = mutants.filter((mutant) => !planted.includes(mutant));

describe.skipIf(reason !== undefined)(`bugs that are planted in tables${because(reason)}`, () => {
  const found = new Map<string, string>();
  const sound: string[] = [];

  beforeAll(async () => {
    for (let seed = 1; seed <= clusters && found.size < planted.length; seed++) await search(seed);
  }, 1_200_000);

  async function search(seed: number): Promise<void> {
    const states = seriesOf(seed * 31, sets).scenarios.map((scenario) => stateIn(scenario));
    const lab = await Lab.build(states[0]!.cluster, "routed");
    try {
      for (const state of states) {
        const { asked } = examOf(lab, state, flowsIn(state, flows));
        const faultOf = async (tables: ReadonlyMap<string, string>) => {
          await load(lab, tables);
          await lab.forgetConnections();
          const [first] = await disagreements(lab, state, asked);
          return first?.complaint;
        };
        const tables = tablesOf(lab, state);
        sound.push(...[await faultOf(tables)].flatMap((fault) => fault ?? []));
        for (const { name, plant } of planted.filter((mutant) => !found.has(mutant.name))) {
          const broken = tablesOf(lab, state, { plant });
          // Where there is nothing to break, nothing can be found.
          const same = [...tables].every(([node, text]) => broken.get(node) === text);
          const fault = same ? undefined : await faultOf(broken);
          if (fault !== undefined) found.set(name, fault);
        }
      }
    } finally {
      await lab.remove();
    }
  }

  const isFound = ({ name }: (typeof mutants)[number]): void =>
    expect(found.get(name), "nothing gave it away").toBeDefined();
  it.each(planted)("are found: $name", isFound);
  it.each(left)("are found: $name", onlyInFull, isFound);

  it("and nothing is found where no bug was planted", () => {
    expect(sound).toEqual([]);
  });
});
