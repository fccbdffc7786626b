import { readdirSync } from "node:fs";
import { threadId } from "node:worker_threads";
import type { Flow, Inventory } from "@tierwall/core/model";
import { addressesOf } from "../../../packages/core/src/evaluate/match.js";
import { formatAddress, sameAddress } from "../../../packages/core/src/net/address.js";
import { packetOf, type Road, type Sendable } from "./packet.js";
import { type LabPlan, planLab } from "./plan.js";
import { type Packet, Prober } from "./prober.js";
import { run, runIn } from "./run.js";
import { backendsIn, type LabBackend, servicesTable } from "./services.js";
import { type Wiring, wiringSteps } from "./wiring.js";

/** A cluster made of network namespaces, and the senders of packets in it. */
export class Lab {
  private constructor(
    readonly cluster: Inventory,
    readonly plan: LabPlan,
    readonly prober: Prober,
    readonly backends: readonly LabBackend[],
  ) {}

  static async build(cluster: Inventory, wiring: Wiring): Promise<Lab> {
    // Others may remove the same at the same time.
    await removeSpaces(leftovers(), "-force").catch(() => undefined);
    const plan = planLab(cluster, `${ownPrefix}-${++labs}`);
    const lab = new Lab(cluster, plan, new Prober(), backendsIn(cluster));
    try {
      await lab.wire(wiring);
      await lab.offerServices();
      await lab.rememberConnections();
      await lab.settle();
      return lab;
    } catch (error) {
      await lab.remove();
      throw error;
    }
  }

  packetOf(flow: Flow, road: Road = "direct"): Sendable {
    return packetOf(this.plan, flow, road);
  }

  /** The places behind Services that are the destination of a connection. */
  backendsFor(flow: Flow): readonly LabBackend[] {
    const own = addressesOf(flow.destination, { cluster: this.cluster, flow });
    return this.backends.filter(
      ({ address, port, servicePort: { protocol } }) =>
        port === flow.port && protocol === flow.protocol && own.some((one) => sameAddress(one, address)),
    );
  }

  /** Loads a text of nftables into a node. */
  async load(node: string, text: string): Promise<void> {
    await runIn(this.spaceOf(node), "nft", ["-f", "-"], text);
  }

  /** Packets that a counter of a node's table has seen. */
  async counted(node: string, counter: string): Promise<number> {
    const text = await runIn(this.spaceOf(node), "nft", ["list", "counter", "inet", "tierwall", counter]);
    return Number(/packets (\d+)/.exec(text)![1]);
  }

  /** While `meanwhile` runs, a pod has additional addresses: `203.0.113.9`, or `172.30.0.1/24` with neighbours. */
  async lend(pod: string, addresses: readonly string[], meanwhile: () => Promise<void>): Promise<void> {
    const { space } = this.plan.pods.find(({ key }) => key === pod)!;
    // A new address of IPv6 would be looked for twins first.
    const each = (verb: "add" | "del") =>
      lines(
        addresses.map(
          (address) =>
            `addr ${verb} ${address} dev eth0${verb === "add" && address.includes(":") ? " nodad" : ""}`,
        ),
      );
    await run("ip", ["-n", space, "-batch", "-"], each("add"));
    try {
      await meanwhile();
    } finally {
      await run("ip", ["-n", space, "-batch", "-"], each("del"));
    }
  }

  /** Connections of before are new ones after this. */
  async forgetConnections(): Promise<void> {
    await Promise.all(this.plan.nodes.map(({ space }) => runIn(space, "conntrack", ["-F"])));
  }

  /** Clears the neighbour tables, so that addresses are resolved again. */
  async forgetNeighbours(): Promise<void> {
    const { outside, nodes, pods } = this.plan;
    const spaces = [outside, ...nodes, ...pods].map(({ space }) => space);
    await Promise.all(spaces.map((space) => run("ip", ["-n", space, "neigh", "flush", "all"])));
  }

  spaceOf(node: string): string {
    const found = this.plan.nodes.find(({ name }) => name === node);
    if (found === undefined) throw new Error(`there is no node ${node} in the lab`);
    return found.space;
  }

  async remove(): Promise<void> {
    await this.prober.stop();
    const { outside, nodes, pods } = this.plan;
    const spaces = [outside, ...nodes, ...pods].map(({ space }) => space);
    const present = new Set(namedSpaces());
    await removeSpaces(spaces.filter((space) => present.has(space)));
  }

  private async wire(wiring: Wiring): Promise<void> {
    const { create, inside, insideIPv6, settings } = wiringSteps(this.plan, wiring);
    await run("ip", ["-batch", "-"], lines(create));
    await this.prober.configure(settings);
    const configure = ([space, steps]: readonly [string, readonly string[]], ...family: readonly string[]) =>
      run("ip", [...family, "-n", space, "-batch", "-"], lines(steps));
    for (const spaces of inside) await Promise.all([...spaces].map((steps) => configure(steps)));
    await Promise.all([...insideIPv6].map((steps) => configure(steps, "-6")));
  }

  /** Waits until every address is reached from outside, so that a packet that is lost later was dropped by rules. */
  private async settle(): Promise<void> {
    const reachable = [
      ...this.plan.pods.map(({ space, pod }) => ({ space, addresses: pod.addresses })),
      ...this.plan.nodes,
    ];
    const greetings = reachable.flatMap(({ space, addresses }) =>
      addresses.map((address): Packet => {
        const source = address.family === 4 ? "192.0.2.1" : "2001:db8::1";
        const ends = { from: this.plan.outside.space, to: space, source, target: formatAddress(address) };
        return { ...ends, protocol: "ICMP", port: 0, servedPort: 0, tos: 0 };
      }),
    );
    let left = greetings;
    for (let turn = 0; turn < 100 && left.length > 0; turn++) {
      const outcomes = await this.prober.probe(left);
      left = left.filter((_, i) => outcomes[i] !== "arrived");
    }
    const unreached = left.map(({ target }) => target).join(", ");
    if (unreached !== "") throw new Error(`the lab does not work: no answer from ${unreached}`);
  }

  /** Of datagrams, too, however long a busy machine lets them wait for the next. */
  private async rememberConnections(): Promise<void> {
    const timeouts = ["udp_timeout", "udp_timeout_stream"].map(
      (name) => `net/netfilter/nf_conntrack_${name}`,
    );
    await this.prober.configure(
      this.plan.nodes.flatMap(({ space }) => timeouts.map((path) => [space, path, "3600"] as const)),
    );
  }

  private async offerServices(): Promise<void> {
    await Promise.all(
      this.plan.nodes.map((node) => this.load(node.name, servicesTable(this.plan, node, this.backends))),
    );
  }
}

/** Tests run in threads of one process, each with its own copy of this module. */
const ownPrefix = `twp${process.pid}-${threadId}`;
let labs = 0;

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");

function namedSpaces(): readonly string[] {
  try {
    return readdirSync("/run/netns");
  } catch {
    return [];
  }
}

/** Of runs that were killed before they could tidy up. */
function leftovers(): readonly string[] {
  return namedSpaces().filter((space) => {
    const [, pid] = /^twp(\d+)-/.exec(space) ?? [];
    return pid !== undefined && !isRunning(Number(pid));
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function removeSpaces(spaces: readonly string[], ...flags: readonly string[]): Promise<void> {
  if (spaces.length === 0) return;
  await run("ip", [...flags, "-batch", "-"], lines(spaces.map((space) => `netns del ${space}`)));
}
