import type { State } from "@tierwall/core/state";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stateIn } from "../../packages/core/testing/arbitrary/scenario.js";
import { onlyInFull } from "../slice.mjs";
import { Agents } from "./agents.js";
import { type Asked, examOf, sameWay, describeAsked } from "./comparison.js";
import { Lab } from "./lab/lab.js";
import type { Conversation, Side } from "./lab/prober.js";
import { because, labIsMissing, labTimeout } from "./lab/requirements.js";
import type { Wiring } from "./lab/wiring.js";
import { flowsIn, seriesOf } from "./scenarios.js";

/*
 * Connections that live while policies change. A change cuts those that the new policies deny, in both directions, also
 * where only the server still speaks; all others never notice.
 */

const reason = labIsMissing();
vi.setConfig({ testTimeout: labTimeout });

interface Kept {
  readonly asked: Asked;
  readonly conversation: Conversation;
}

/** Room for seven generations: the eighth change starts again. */
const connectionMask = 0x001f0000;
const changes = 10;

/** Denied connections that carried the mark of a generation which has come again. */
let outlived = 0;

/** The long run asks in other clusters each day, too. */
const seeds = [11, ...[process.env.TIERWALL_PACKET_SEED ?? []].flat().map(Number)];
const clusters = seeds.flatMap((seed) => [
  { seed, wiring: "routed" as const },
  { seed: seed + 1, wiring: "bridged" as const },
]);

for (const [i, { seed, wiring }] of clusters.entries()) {
  const title = `connections that are established, pods ${wiring}, seed ${seed}${because(reason)}`;
  describe.skipIf(reason !== undefined)(title, i === 0 ? {} : onlyInFull, () => {
    cutsWhatIsDenied(seed, wiring);
  });
}

function cutsWhatIsDenied(seed: number, wiring: Wiring): void {
  const states = seriesOf(seed, changes + 1).scenarios.map((scenario) => stateIn(scenario));
  let lab: Lab;
  let agents: Agents;
  /** By the generation that judged them last: connections without a packet since. */
  const silentSince = new Map<number, readonly Kept[]>();
  beforeAll(async () => {
    lab = await Lab.build(states[0]!.cluster, wiring);
    agents = await Agents.start(lab, connectionMask);
    await agents.apply(states[0]!);
  });
  afterAll(async () => {
    await agents?.stop();
    await lab?.remove();
  });

  /** Opens what is allowed, of the protocols in which ends can say more than one thing. */
  async function open(state: State, most: number): Promise<readonly Kept[]> {
    const flows = flowsIn(state, 1500).filter(({ protocol }) => protocol === "TCP" || protocol === "UDP");
    const allowed = examOf(lab, state, flows).asked.filter(({ wanted }) => wanted === "Allow");
    const chosen = allowed.slice(0, most);
    const conversations = await lab.prober.open(chosen.map(({ packet }) => packet));
    expect(conversations).not.toContain(undefined);
    return chosen.map((asked, i) => ({ asked, conversation: conversations[i]! }));
  }

  /** Those on which `side` was heard, and should not have been, or the other way round. */
  async function wrong(state: State, kept: readonly Kept[], side: Side): Promise<readonly string[]> {
    const heard = await lab.prober.say(
      kept.map(({ conversation }) => conversation),
      side,
    );
    return kept.flatMap(({ asked }, i) => {
      const now = sameWay(state, asked);
      return now === undefined || heard[i] === (now.wanted === "Allow")
        ? []
        : [`${describeAsked(state, now)}\nand the ${side} is ${heard[i] ? "" : "not "}heard`];
    });
  }

  it.each(states.slice(1).map((_, i) => i + 1))("change %i cuts exactly what it denies", async (turn) => {
    const [before, now] = [states[turn - 1]!, states[turn]!];
    const [silent, kept] = [await open(before, 40), await open(before, 300)];
    await agents.apply(now);
    // In every other turn the server speaks first: nothing of the client helps to notice.
    const sides = turn % 2 === 0 ? (["client", "server"] as const) : (["server", "client"] as const);
    for (const side of sides) expect(await wrong(now, kept, side)).toEqual([]);
    // Many marks are cleared while rules judge that stamp nothing; counting goes on after that.
    const generation = await agents.stamping();
    const older = silentSince.get(generation) ?? [];
    for (const side of sides) expect(await wrong(now, [...kept, ...older], side)).toEqual([]);
    await lab.prober.close([...kept, ...older].map(({ conversation }) => conversation));
    outlived += older.filter(({ asked }) => sameWay(now, asked)?.wanted === "Deny").length;
    silentSince.set(generation - 1, silent);
  });
}

describe.skipIf(reason !== undefined)(`generations that come again${because(reason)}`, onlyInFull, () => {
  it("have judged connections again that were silent until then", () => {
    expect(outlived).toBeGreaterThan(0);
  });
});
