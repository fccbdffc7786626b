import type { Flow, Rule } from "@tierwall/core/model";
import { explore } from "../../packages/core/src/evaluate/facts.js";
import { type Decision, walk } from "../../packages/core/src/evaluate/walk.js";
import { markField } from "../../packages/agent/src/ruleset/connection-mark.js";
import { frame } from "../../packages/agent/src/ruleset/frame.js";
import { NodeCompiler } from "../../packages/agent/src/compile/node-compiler.js";
import type { NodeOptions, NodeProgram } from "../../packages/agent/src/ruleset/program.js";
import type { Ruleset } from "../../packages/agent/src/ruleset/ruleset.js";
import { type Journey, type Packet, walkRuleset } from "../../packages/agent/testing/walk-ruleset.js";
import type { State } from "../../packages/core/src/state/state.js";
import { probedPorts } from "../../packages/core/testing/all-ends.js";
import { about } from "../../packages/core/testing/arbitrary/scenario.js";
import { type AddressedEnd, addressedEnds, isHost, isLocalPod } from "./addressed-ends.js";

export const optionsFor = (node: string): NodeOptions => ({
  node,
  connectionMask: 0xffff0000,
  deny: "drop",
  unknownPods: "deny",
  localRanges: [],
  shadow: false,
  log: { group: 5, perSecond: 10, burst: 20 },
});

export const enforced = () => ({ audit: "denied", shadow: false }) as const;

export const compiled = ({ cluster, tiers }: Pick<State, "cluster" | "tiers">, node: string): NodeProgram =>
  new NodeCompiler(optionsFor(node), enforced).compile(cluster, tiers);

export const nodesOf = ({ cluster }: State): readonly string[] => [
  ...new Set([...cluster.nodes.keys(), ...[...cluster.pods.values()].flatMap(({ node }) => node ?? [])]),
];

const generation = 5;
const lastGeneration = markField(optionsFor("any").connectionMask).generations;

interface Asked {
  readonly flow: Flow;
  readonly packet: Packet;
  /** Which ends are judged on this node. */
  readonly egress: boolean;
  readonly ingress: boolean;
}

/** Every connection that a pod of the node takes part in, as the first packet of it. */
export function* connectionsAt(state: Pick<State, "cluster">, node: string): Iterable<Asked> {
  const ends = addressedEnds(state.cluster);
  for (const source of ends)
    for (const destination of ends) {
      if (source.address.family !== destination.address.family) continue;
      const [egress, ingress] = [isLocalPod(source, node), isLocalPod(destination, node)];
      if (!egress && !ingress) continue;
      const hook = hookOf(source, destination, node, egress);
      for (const { protocol, port } of probedPorts)
        yield {
          egress,
          ingress,
          flow: {
            source: source.endpoint,
            destination: destination.endpoint,
            protocol,
            port,
            family: source.address.family,
          },
          packet: {
            hook,
            source: source.address,
            destination: destination.address,
            protocol,
            ...(protocol === "ICMP"
              ? { icmpType: source.address.family === 4 ? 8 : 128 }
              : { sourcePort: 40_000, destinationPort: port }),
            connection: { state: "new", isReply: false, mark: 0 },
          },
        };
    }
}

function hookOf(
  source: AddressedEnd,
  destination: AddressedEnd,
  node: string,
  egress: boolean,
): Packet["hook"] {
  if (egress && isHost(destination) && destination.node === node) return "input";
  return !egress && isHost(source) && source.node === node ? "output" : "forward";
}

/** The reply to a packet, in a connection that another generation of rules allowed. */
function replyTo(packet: Packet): Packet {
  const { source, destination, sourcePort, destinationPort, icmpType, ...rest } = packet;
  return {
    ...rest,
    source: destination,
    destination: source,
    ...(sourcePort === undefined ? {} : { destinationPort: sourcePort }),
    ...(destinationPort === undefined ? {} : { sourcePort: destinationPort }),
    ...(icmpType === undefined ? {} : { icmpType: icmpType === 8 ? 0 : icmpType + 1 }),
    hook: packet.hook === "input" ? "output" : packet.hook === "output" ? "input" : "forward",
    connection: { state: "established", isReply: true, mark: 3 << 18 },
  };
}

/** The first packet with which the table does something else than the evaluator says. */
export function faultOfTable(
  state: State,
  node: string,
  program: NodeProgram = compiled(state, node),
): string | undefined {
  const ruleset = frame(program, optionsFor(node), generation);
  const stampless = frame(program, optionsFor(node), lastGeneration + 1);
  let seen = 0;
  for (const asked of connectionsAt(state, node)) {
    const wanted = judged(state, asked);
    const said = walkRuleset(ruleset, asked.packet);
    // Without rules nothing is judged, and nothing is remembered.
    const remembers = program.ruleset.chains.size > 0;
    const fault =
      faultIn(wanted, said, asked, remembers) ??
      faultInBlame(wanted, said, program) ??
      faultLater(wanted, ruleset, asked) ??
      // A share of them: it is five packets each.
      (remembers && seen++ % 5 === 0 ? faultWithoutStamps(wanted, stampless, asked) : undefined);
    if (fault !== undefined) return `on ${node}, ${about(asked.flow)}: ${fault}`;
  }
  return undefined;
}

interface Judged {
  readonly allowed: boolean;
  /** Who decided for certain, in the last direction that was asked. */
  readonly by: Rule | undefined;
}

function judged(state: State, asked: Asked): Judged {
  const { cluster, tiers } = state;
  const directions = (["egress", "ingress"] as const).filter((direction) => asked[direction]);
  const runs = directions.map((direction) =>
    explore((unknowns) => walk(direction, tiers, { cluster, flow: asked.flow, unknowns })).map(
      ({ value }) => value,
    ),
  );
  const allows = (decisions: readonly Decision[]) => decisions.every(({ verdict }) => verdict === "Allow");
  const last = runs.find((decisions) => !allows(decisions)) ?? runs.at(-1)!;
  const [only, ...others] = new Set(last.map(({ by }) => (by.kind === "rule" ? by.rule : undefined)));
  return { allowed: runs.every(allows), by: others.length === 0 ? only : undefined };
}

function faultIn(wanted: Judged, said: Journey, { packet }: Asked, remembers: boolean): string | undefined {
  const verdict = wanted.allowed ? "accept" : "drop";
  if (said.verdict !== verdict) return `the table says ${said.verdict}, counting ${said.counted.join()}`;
  const isStamped = said.mark === (remembers ? generation << 18 : 0);
  if (wanted.allowed && packet.hook !== "output" && !isStamped)
    return `the mark is ${said.mark.toString(16)}`;
  if (wanted.allowed && said.priority !== "none" && packet.hook === "forward") return "an identity is left";
  return undefined;
}

function faultInBlame({ by }: Judged, { counted }: Journey, program: NodeProgram): string | undefined {
  if (by === undefined) return undefined;
  const last = program.book.get(counted.at(-1)?.slice(2) ?? "")?.by;
  if (last?.kind === "rule" && last.rule === by) return undefined;
  return `${counted.join()} are counted, and not ${by.origin.path} of ${by.origin.policy.name}`;
}

/** Established under other rules: judged the same again, from both sides; and by this generation: not judged any more. */
function faultLater(wanted: Judged, ruleset: Ruleset, { packet }: Asked): string | undefined {
  const old = { ...packet, connection: { state: "established", isReply: false, mark: 3 << 18 } } as const;
  const again = walkRuleset(ruleset, old);
  if ((again.verdict === "accept") !== wanted.allowed) return "established, it is judged differently";
  if (!wanted.allowed && again.mark !== ((generation << 18) | 0x10000)) return "it is not marked as denied";
  const next = walkRuleset(ruleset, { ...old, connection: { ...old.connection, mark: again.mark } });
  if ((next.verdict === "accept") !== wanted.allowed) return "the next packet fares differently";
  // Replies from and to the node itself are always accepted; only the packets that they answer are judged.
  if (packet.hook !== "forward") return undefined;
  const reply = walkRuleset(ruleset, replyTo(packet));
  if ((reply.verdict === "accept") !== wanted.allowed) return "the reply is judged differently";
  return undefined;
}

/** Past the last generation every packet is judged, whatever its connection is marked with, and none is stamped. */
function faultWithoutStamps({ allowed }: Judged, ruleset: Ruleset, { packet }: Asked): string | undefined {
  const marks = [0, 3, generation].map((stamp) => stamp << 18);
  const later = marks.map((mark) => ({
    ...packet,
    connection: { state: "established", isReply: false, mark } as const,
  }));
  const replies = packet.hook === "forward" ? [replyTo(packet)] : [];
  for (const sent of [packet, ...later, ...replies]) {
    const { verdict, mark } = walkRuleset(ruleset, sent);
    const stamp = `with the stamp ${sent.connection.mark >>> 18}`;
    if ((verdict === "accept") !== allowed) return `without stamps, it is judged differently ${stamp}`;
    if (allowed && packet.hook !== "output" && mark !== 0) return `without stamps, it stays ${stamp}`;
  }
  return undefined;
}
