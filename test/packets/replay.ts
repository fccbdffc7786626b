import type { ConnectivityTest } from "@tierwall/core/analysis";
import { evaluate } from "@tierwall/core/engine";
import type { Flow } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import { candidatesFor } from "../../packages/core/src/analysis/explain/ask.js";
import type { Service } from "../../packages/core/src/cluster/model.js";
import { carried } from "./carried.js";
import { type Asked, disagreements } from "./comparison.js";
import { enforce } from "./enforce.js";
import { Lab } from "./lab/lab.js";
import type { Sendable } from "./lab/packet.js";
import type { Wiring } from "./lab/wiring.js";

export interface Replayed {
  readonly sent: number;
  readonly complaints: readonly string[];
  /** Assertions of which there are no packets, counted by why. */
  readonly leftOut: ReadonlyMap<string, number>;
}

interface Asserted {
  readonly flow: Flow;
  readonly wanted: "Allow" | "Deny" | "Undecided";
  readonly service?: Service;
}

/** Sends what the tests assert, in a lab that enforces their state. */
export async function replay(
  state: State,
  tests: readonly ConnectivityTest[],
  wiring: Wiring,
): Promise<Replayed> {
  const asserted = tests.flatMap(({ assertions }) =>
    assertions.flatMap(({ question, verdict }) => {
      const found = candidatesFor(state, question);
      if (!found.ok) throw new Error(found.diagnostic.message);
      const { candidates, to } = found.value;
      return candidates.map(({ pair, port }): Asserted => {
        const flow = { ...pair, ...(port ?? { protocol: "TCP", port: 0 }) };
        return { flow, wanted: verdict, ...(to.service === undefined ? {} : { service: to.service }) };
      });
    }),
  );
  const { cluster, endOf } = carried(
    state.cluster,
    asserted.flatMap(({ flow }) => [flow.source, flow.destination]),
  );
  const lab = await Lab.build(cluster, wiring);
  try {
    const leftOut = new Map<string, number>();
    const leave = (why: string) => leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
    const there: State = { ...state, cluster };
    const asked = asserted.flatMap(({ flow, wanted, service }): readonly Asked[] => {
      const moved: Flow = {
        ...flow,
        source: endOf(flow.source),
        destination: endOf(flow.destination),
        family: flow.family ?? 4,
      };
      if (wanted === "Undecided") return leave("undecided: a packet cannot show what is unknown"), [];
      if (evaluate(cluster, state.tiers, moved).verdict !== wanted)
        return leave("the verdict depends on what the pod still lacks"), [];
      const sendable = sendableOf(lab, moved, service);
      if (sendable.kind === "impossible") return leave(sendable.why), [];
      return [{ flow: moved, road: "direct", packet: sendable.packet, wanted }];
    });
    await enforce(lab, there);
    const found = await disagreements(lab, there, asked);
    return { sent: asked.length, complaints: found.map(({ complaint }) => complaint), leftOut };
  } finally {
    await lab.remove();
  }
}

/** To the address of the Service where one was asked about, and its node rewrites it. */
function sendableOf(lab: Lab, flow: Flow, service: Service | undefined): Sendable {
  const backend = lab.backendsFor(flow).find((other) => other.service === service);
  const road = backend ?? (service === undefined || service.headless ? "direct" : "alias");
  const rewritten = lab.packetOf(flow, road);
  return rewritten.kind === "packet" ? rewritten : lab.packetOf(flow);
}
