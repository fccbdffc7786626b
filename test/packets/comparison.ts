import type { Verdict } from "@tierwall/core";
import { compile, evaluate, isSubject } from "@tierwall/core/engine";
import type { Endpoint, Flow } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import { about, describeDecision } from "../../packages/core/testing/arbitrary/scenario.js";
import type { Lab } from "./lab/lab.js";
import type { Road } from "./lab/packet.js";
import type { Outcome, Packet } from "./lab/prober.js";

/** A connection, what is to become of it, and how it is sent. */
export interface Asked {
  readonly flow: Flow;
  readonly road: Road;
  readonly packet: Packet;
  readonly wanted: "Allow" | "Deny";
}

export interface Exam {
  readonly asked: readonly Asked[];
  /** What was left out, counted by why. */
  readonly leftOut: ReadonlyMap<string, number>;
}

export interface Disagreement {
  readonly asked: Asked;
  readonly complaint: string;
}

/** The flows that can be sent, with the verdict on which evaluator and engine agree; by these roads in turn. */
export function examOf(lab: Lab, state: State, flows: Iterable<Flow>, ...roads: readonly Road[]): Exam {
  const engine = compile(state.cluster, state.tiers);
  const asked: Asked[] = [];
  const leftOut = new Map<string, number>();
  const leave = (why: string) => leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
  for (const flow of flows) {
    const ways = waysOf(lab, flow, roads.length > 0 ? roads : ["direct", "alias", ...lab.backendsFor(flow)]);
    const way = ways.open[asked.length % Math.max(ways.open.length, 1)];
    if (way === undefined) {
      leave(ways.why);
      continue;
    }
    if (engine.verdict(flow) !== evaluate(state.cluster, state.tiers, flow).verdict)
      throw new Error(`engine and evaluator do not agree on ${about(flow)}`);
    const wanted = sharedVerdict(state, flow);
    if (wanted === "Allow" || wanted === "Deny") asked.push({ flow, wanted, ...way });
    else leave(wanted);
  }
  return { asked, leftOut };
}

function waysOf(lab: Lab, flow: Flow, roads: readonly Road[]) {
  const open: Pick<Asked, "road" | "packet">[] = [];
  let why = "";
  for (const road of roads.toReversed()) {
    const sendable = lab.packetOf(flow, road);
    if (sendable.kind === "packet") open.push({ road, packet: sendable.packet });
    else why = sendable.why;
  }
  return { open, why };
}

/** Of all that look the same in a packet, or why there is no one verdict. */
function sharedVerdict(state: State, flow: Flow): string {
  if (flow.destination.kind === "external" && isDeniedNames(state, flow.source))
    return "a name that is denied may be any address to a node that has not heard of it: it fails closed";
  const verdicts = new Set<Verdict>();
  for (const source of alike(state, flow.source))
    for (const destination of alike(state, flow.destination)) {
      const same = { ...flow, source, destination };
      verdicts.add(evaluate(state.cluster, state.tiers, same).verdict);
    }
  const [first] = verdicts;
  if (verdicts.size > 1) return "a node and its host-network pods are one address, and not one verdict";
  return first === "Undecided" ? "undecided: a packet cannot show what is unknown here" : first!;
}

/** Whether rules deny this end something by its name (Cilium's `toFQDNs` with an authentication that always fails). */
function isDeniedNames({ tiers }: State, source: Endpoint): boolean {
  return (
    source.kind === "pod" &&
    tiers.egress.some(({ rules }) =>
      rules.some(
        ({ action, peers, subject }) =>
          action !== "Allow" && peers.some(({ kind }) => kind === "domains") && isSubject(subject, source),
      ),
    )
  );
}

/** A node and the pods in its network send and receive by the same addresses. */
function alike({ cluster }: State, end: Endpoint): readonly Endpoint[] {
  const host =
    end.kind === "node"
      ? end.node.name
      : end.kind === "pod" && end.pod.hostNetwork
        ? end.pod.node
        : undefined;
  const node = host === undefined ? undefined : cluster.nodes.get(host);
  if (node === undefined) return [end];
  const guests = [...cluster.pods.values()]
    .filter((pod) => pod.hostNetwork && pod.node === host)
    .map((pod): Endpoint => ({ kind: "pod", pod, namespace: cluster.namespaces.get(pod.namespace)! }));
  return [{ kind: "node", node }, ...guests];
}

/** The same packet under other policies; undefined where there is no one verdict about it. */
export function sameWay(state: State, asked: Asked): Asked | undefined {
  const wanted = sharedVerdict(state, asked.flow);
  return wanted === "Allow" || wanted === "Deny" ? { ...asked, wanted } : undefined;
}

/** Sends them all; what did not arrive and should have is sent once more. */
export async function disagreements(
  lab: Lab,
  state: State,
  asked: readonly Asked[],
): Promise<readonly Disagreement[]> {
  const first = await probe(lab, asked);
  const suspects = asked.filter((one, i) => one.wanted === "Allow" && first[i] !== "arrived");
  const second = new Map((await probe(lab, suspects)).map((outcome, i) => [suspects[i], outcome]));
  return asked.flatMap((one, i) => {
    const outcome = second.get(one) ?? first[i]!;
    if (fits(one.wanted, outcome)) return [];
    return [{ asked: one, complaint: `${describeAsked(state, one)}\nand on the wire it is ${outcome}` }];
  });
}

const probe = (lab: Lab, asked: readonly Asked[]) => lab.prober.probe(asked.map(({ packet }) => packet));

const fits = (wanted: Asked["wanted"], outcome: Outcome): boolean =>
  wanted === "Allow" ? outcome === "arrived" : outcome === "lost" || outcome === "refused";

/** `alpha/x -> alpha/y TCP 80, IPv4 (10.0.0.1 -> 10.0.0.2) is Deny by …` */
export function describeAsked({ cluster, tiers }: State, { flow, road, packet, wanted }: Asked): string {
  const { egress, ingress } = evaluate(cluster, tiers, flow);
  const way = `${packet.source} -> ${packet.target}${road === "direct" ? "" : " through a Service"}`;
  return [
    `${about(flow)} (${way}) is ${wanted}`,
    `  egress: ${egress.decisions.map(describeDecision).join(" or ")}`,
    `  ingress: ${ingress.decisions.map(describeDecision).join(" or ")}`,
  ].join("\n");
}
