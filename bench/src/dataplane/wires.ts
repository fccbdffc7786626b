import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Two pods of one node, as network namespaces: client ── node ── server. Every packet between them is forwarded. */
export interface Ends {
  readonly client: { readonly 4: string; readonly 6: string };
  readonly server: { readonly 4: string; readonly 6: string };
}

/** How long each of some wires is measured. */
export interface Measuring {
  readonly wires: readonly Wires[];
  readonly family: 4 | 6;
  readonly port: number;
  readonly seconds: number;
}

export class Wires {
  readonly node: string;
  private readonly names: Record<"client" | "node" | "server", string>;
  private readonly folder = mkdtempSync(join(tmpdir(), "tierwall-bench-"));
  private readonly traffic = join(this.folder, "traffic");
  private readonly servers = new Map<4 | 6, ChildProcess>();

  /** `mark` distinguishes those of one process. */
  constructor(
    readonly ends: Ends,
    mark: string,
  ) {
    const prefix = `twb${process.pid}${mark}`;
    this.names = { client: `${prefix}c`, node: `${prefix}n`, server: `${prefix}s` };
    this.node = this.names.node;
    const source = fileURLToPath(new URL("../../dataplane/traffic.c", import.meta.url));
    execFileSync("cc", ["-O2", "-o", this.traffic, source], { stdio: "inherit" });
    this.lay();
  }

  private lay(): void {
    const { client, node, server } = this.names;
    for (const name of [client, node, server]) run("ip", ["netns", "add", name]);
    for (const side of ["client", "server"] as const) {
      const [pod, addresses] = [this.names[side], this.ends[side]];
      ip(node, `link add ${side} type veth peer name eth0 netns ${pod}`);
      ip(node, `link set ${side} up`);
      ip(node, `addr add 169.254.1.1/32 dev ${side}`);
      ip(node, `-6 addr add fe80::1/64 dev ${side} nodad`);
      ip(node, `route add ${addresses[4]}/32 dev ${side}`);
      ip(node, `-6 route add ${addresses[6]}/128 dev ${side}`);
      ip(pod, "link set lo up");
      ip(pod, "link set eth0 up");
      ip(pod, `addr add ${addresses[4]}/32 dev eth0`);
      ip(pod, `-6 addr add ${addresses[6]}/128 dev eth0 nodad`);
      ip(pod, "route add 169.254.1.1 dev eth0 scope link");
      ip(pod, "route add default via 169.254.1.1 dev eth0 onlink");
      ip(pod, "-6 route add default via fe80::1 dev eth0 onlink");
    }
    ip(node, "link set lo up");
    // Connections end with a reset, ten thousands of them a second: their entries must not pile up.
    for (const setting of [
      "net.ipv4.ip_forward=1",
      "net.ipv6.conf.all.forwarding=1",
      "net.netfilter.nf_conntrack_tcp_timeout_close=1",
    ])
      this.inside(node, ["sysctl", "-q", "-w", setting]);
    this.inside(client, ["sysctl", "-q", "-w", "net.ipv4.ip_local_port_range=1024 65535"]);
  }

  /** Loads rules into the node. */
  load(text: string): void {
    run("ip", ["netns", "exec", this.node, "nft", "-f", "-"], text);
  }

  /** Of these tables, only one is asked about packets from now on. */
  wake(table: string, all: readonly string[]): void {
    const asleep = all
      .filter((name) => name !== table)
      .map((name) => `table inet ${name} { flags dormant; }`);
    this.load(`${[...asleep, `table inet ${table}`].join("\n")}\n`);
  }

  async serve(port: number): Promise<void> {
    for (const family of [4, 6] as const) {
      // Each of these words becomes the next: the process that is started is the server in the end.
      const words = ["netns", "exec", this.names.server, ...onOneCore, this.traffic, "serve"];
      const server = spawn("ip", [...words, this.ends.server[family], `${port}`], { stdio: "inherit" });
      this.servers.set(family, server);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }

  /** Connections, or round trips on one connection, a second of the processor: on each of these wires, which take turns. */
  static rates(what: "connect" | "echo", { wires, family, port, seconds }: Measuring): readonly number[] {
    const lanes = wires.map(({ names, ends, servers }) =>
      [`/run/netns/${names.client}`, ends.server[family], servers.get(family)!.pid].join(),
    );
    const [command, ...words] = [...onOneCore, wires[0]!.traffic, what, `${seconds}`, `${port}`, ...lanes];
    return run(command, words).trim().split("\n").map(Number);
  }

  close(): void {
    for (const server of this.servers.values()) server.kill("SIGKILL");
    for (const name of Object.values(this.names)) run("ip", ["netns", "del", name]);
    rmSync(this.folder, { recursive: true });
  }

  private inside(name: string, words: readonly string[]): string {
    return run("ip", ["netns", "exec", name, ...words]);
  }
}

/** All of it on one core: no process is woken up on another one, and the measured time is the cost of a packet. */
const onOneCore = ["taskset", "-c", "1"] as const;

const ip = (name: string, words: string): string => run("ip", ["-n", name, ...words.split(" ")]);

function run(command: string, words: readonly string[], input?: string): string {
  return execFileSync(command, words, {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    ...(input === undefined ? {} : { input }),
  });
}
