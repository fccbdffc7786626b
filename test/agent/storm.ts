import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { NodeLab } from "./node-lab.js";

/*
 * A storm of small UDP packets from one pod to another, every one of them the first of a connection as far as the kernel
 * remembers, and their number before and behind the rules of the agent. What the node itself cannot take is lost before
 * it is counted.
 */

export interface StormPorts {
  readonly allowed: number;
  readonly denied: number;
}

/** Packets to a port: that came to the node, and that it passed on. */
export interface Count {
  readonly came: number;
  readonly passed: number;
}

export class Storm {
  private constructor(
    private readonly lab: NodeLab,
    private readonly ports: StormPorts,
    private readonly senders: readonly ChildProcess[],
  ) {}

  /** Sends until it is stopped. Sources are consecutive addresses that also lead to pod `from`. */
  static start(
    lab: NodeLab,
    from: string,
    to: string,
    sources: Readonly<Record<keyof StormPorts, readonly string[]>>,
    ports: StormPorts,
  ): Storm {
    // Allowed connections expire quickly, so that most packets open a new one.
    lab.run("node", "sysctl", "-qw", "net.netfilter.nf_conntrack_udp_timeout=1");
    lab.write("counting.nft", countingTable(ports));
    lab.nft("-f", join(lab.folder, "counting.nft"));
    lab.run(from, "ping", "-c1", "-W2", "10.9.0.1");
    const senders = (["allowed", "denied"] as const).map((kind) => {
      const file = `storm-${kind}.cfg`;
      lab.write(file, packetPattern(lab, from, to, sources[kind], ports[kind]));
      const flags = ["--dev", "eth0", "--conf", join(lab.folder, file), "--cpus", "1", "--qdisc-path"];
      // Half of what one core can send, so that the agent has something left of it.
      return lab.start(from, "setsid", ["trafgen", ...flags, "--rate", "80000pps", "--no-sock-mem"]);
    });
    return new Storm(lab, ports, senders);
  }

  /** Each sender is a group of processes, of which the first does not pass on signals. */
  kill(): void {
    for (const { pid, exitCode, signalCode } of this.senders)
      if (exitCode === null && signalCode === null) process.kill(-pid!, "SIGKILL");
  }

  /** Both ports, once no packet is under way any more. */
  async stop(): Promise<Readonly<Record<keyof StormPorts, Count>>> {
    const ended = this.senders.map((sender) => once(sender, "exit"));
    this.kill();
    await Promise.all(ended);
    let [before, now] = ["", this.counters()];
    while (now !== before) {
      await new Promise((settled) => setTimeout(settled, 200));
      [before, now] = [now, this.counters()];
    }
    return { allowed: countOf(this.ports.allowed, now), denied: countOf(this.ports.denied, now) };
  }

  private counters(): string {
    return this.lab.nft("list", "table", "inet", "counting");
  }
}

function countOf(port: number, counters: string): Count {
  const [came = 0, passed = 0] = counters
    .split("\n")
    .filter((line) => line.includes(`udp dport ${port} `))
    .map((line) => Number(/packets (\d+)/.exec(line)![1]));
  return { came, passed };
}

const countingTable = ({ allowed, denied }: StormPorts): string => `
table inet counting {
  chain came { type filter hook prerouting priority -350;
    udp dport ${allowed} counter
    udp dport ${denied} counter
  }
  chain passed { type filter hook postrouting priority 350;
    udp dport ${allowed} counter
    udp dport ${denied} counter
  }
}
`;

/** In the words of trafgen: an Ethernet frame with a chance source port, and one of the addresses. */
function packetPattern(
  lab: NodeLab,
  from: string,
  to: string,
  sources: readonly string[],
  port: number,
): string {
  const link = (where: string, device: string) =>
    lab
      .run(where, "cat", `/sys/class/net/${device}/address`)
      .trim()
      .split(":")
      .map((byte) => `0x${byte}`)
      .join(", ");
  const bytes = (address: string) => address.split(".").join(", ");
  const [first, last] = [sources[0]!, sources.at(-1)!].map((address) => address.split(".").at(-1));
  return `{
  ${link("node", `v-${from}`)}, ${link(from, "eth0")}, const16(0x0800),
  0x45, 0, const16(46), const16(0), const16(0), 64, 17, csumip(14, 33),
  ${bytes(sources[0]!.split(".").slice(0, 3).join("."))}, dinc(${first}, ${last}, 1), ${bytes(lab.addressOf(to))},
  drnd(2), const16(${port}), const16(26), const16(0), fill(0x61, 18)
}
`;
}

/** Why this machine cannot blow; undefined where it can. */
export function noStormBecause(): string | undefined {
  return spawnSync("which", ["trafgen"]).status === 0 ? undefined : "needs trafgen";
}
