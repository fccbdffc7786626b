import { type Family, parseAddress } from "@tierwall/core/model";
import { readState } from "@tierwall/core/state";
import { NodeCompiler } from "../src/compile/node-compiler.js";
import { type Additions, frame } from "../src/ruleset/frame.js";
import { modesOf } from "../src/observe/decider.js";
import type { NodeOptions, NodeProgram } from "../src/ruleset/program.js";
import type { Ruleset } from "../src/ruleset/ruleset.js";
import { type Journey, type Learned, type Packet, walkRuleset } from "./walk-ruleset.js";

export const plainOptions: NodeOptions = {
  node: "here",
  connectionMask: 0xffff0000,
  deny: "drop",
  unknownPods: "deny",
  localRanges: [],
  shadow: false,
};

export interface NodeWorld {
  readonly program: NodeProgram;
  readonly ruleset: Ruleset;
  /** `10.0.0.1 -> 10.0.0.2:80/TCP`, as the first packet of a connection, by default. */
  readonly send: (what: string, change?: Partial<Packet>, learned?: Learned) => Journey;
}

/** What the node `here` does with packets, for tests that read like the semantics. */
export function nodeWorld(
  yaml: string,
  options: Partial<NodeOptions> = {},
  additions: Additions = {},
): NodeWorld {
  const { cluster, tiers, usable, diagnostics } = readState([{ file: "test.yaml", text: yaml }]);
  if (!usable) throw new Error(diagnostics.map(({ code, message }) => `${code} ${message}`).join("\n"));
  const all = { ...plainOptions, ...options };
  const program = new NodeCompiler(all, modesOf).compile(cluster, tiers);
  const ruleset = frame(program, all, 1, additions);
  return {
    program,
    ruleset,
    send: (what, change, learned) => walkRuleset(ruleset, { ...packetOf(what), ...change }, learned),
  };
}

function packetOf(text: string): Packet {
  const [from, to] = text.split(" -> ");
  const [, address, port, protocol] = /^\[?([^\]]*?)\]?(?::(\d+)\/(\w+)|:(ICMP))$/.exec(to!) ?? [];
  const [source, destination] = [parseAddress(from!)!, parseAddress(address!)!];
  const connection = { state: "new", isReply: false, mark: 0 } as const;
  const echo: Readonly<Record<Family, number>> = { 4: 8, 6: 128 };
  return {
    hook: "forward",
    source,
    destination,
    connection,
    ...(protocol === undefined
      ? { protocol: "ICMP", icmpType: echo[source.family] }
      : { protocol: protocol as "TCP", sourcePort: 40_000, destinationPort: Number(port) }),
  };
}

interface PodParts {
  readonly node?: string;
  /** The label `app`: by default the name. */
  readonly app?: string;
  /** More labels: `team: red`. */
  readonly labels?: string;
  /** `{name: web, containerPort: 80}` */
  readonly ports?: string;
  readonly hostNetwork?: boolean;
}

/** A pod, by default on the node `here`; `ip` may be several. */
export function podYaml(name: string, ip: string, parts: PodParts = {}): string {
  const { node = "here", app = name.split("/")[1]!, labels, ports = "", hostNetwork = false } = parts;
  const [namespace, own] = name.split("/");
  const more = labels === undefined ? "" : `, ${labels}`;
  const ips = ip.split(",").map((one) => `{ ip: "${one}" }`);
  return `---
apiVersion: v1
kind: Pod
metadata: { name: ${own}, namespace: ${namespace}, labels: { app: ${app}${more} } }
spec: { nodeName: ${node}, hostNetwork: ${hostNetwork}, containers: [{ name: main, ports: [${ports}] }] }
status: { phase: Running, podIPs: [${ips.join(", ")}] }
`;
}

export function nodeYaml(name: string, ip: string): string {
  return `---
apiVersion: v1
kind: Node
metadata: { name: ${name} }
status: { addresses: [{ type: InternalIP, address: "${ip}" }] }
`;
}
