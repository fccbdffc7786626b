import { type ChildProcessByStdio, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { dnsPart } from "../src/dns/redirect.js";
import type { NameSet } from "../src/ruleset/program.js";
import type { NamedSet, Ruleset } from "../src/ruleset/ruleset.js";

/*
 *     pod 10.70.1.2 ───── 10.70.1.1 node 10.70.2.1 ───── 10.70.2.53 world: DNS servers, and 203.0.113.0/24
 *         fd70:1::2 ───── fd70:1::1      fd70:2::1 ───── fd70:2::53         2001:db8:cafe::/64
 */
export const pod = { 4: "10.70.1.2", 6: "fd70:1::2" } as const;
export const server = { 4: "10.70.2.53", 6: "fd70:2::53" } as const;
export const liar = { address: "10.70.2.66", stranger: "10.70.2.67" } as const;
const table = "tierwall";
const nameBit = 0x20000;

/** Why the lab cannot be set up on this machine, if it cannot. */
export function whyNoNamesLab(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  const programs = ["ip", "nft", "conntrack", "dnsmasq", "dig"];
  const missing = programs.filter((program) => spawnSync("which", [program]).status !== 0);
  return missing.length === 0 ? undefined : `needs ${missing.join(", ")}`;
}

export interface Event {
  readonly kind: string;
  readonly [field: string]: unknown;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** The process with the proxy on the node. */
export interface NamesNode {
  readonly events: readonly Event[];
  count(kind: string, fields?: Readonly<Record<string, unknown>>): number;
  waitFor(kind: string): Promise<Event>;
  send(line: string): void;
  end(signal?: "SIGKILL"): Promise<void>;
}

export interface NamesNodeOptions {
  readonly names?: readonly NameSet[];
  readonly asPod?: boolean;
  /** Servers that policies deny to the pod. */
  readonly denied?: readonly string[];
  readonly lifetimes?: Readonly<Record<string, number>>;
  readonly redirectMilliseconds?: number;
  /** Of what the cluster consists, besides the pod that asks. */
  readonly inside?: Partial<Inside>;
}

interface Inside {
  readonly pods: readonly string[];
  readonly nodes: readonly string[];
  readonly services: readonly string[];
  readonly podRanges: readonly string[];
}

/** One name set, for the given patterns. */
export function nameSet(id: string, patterns: NameSet["patterns"]): NameSet {
  return {
    patterns,
    fresh: { 4: `${id}_fresh4`, 6: `${id}_fresh6` },
    kept: { 4: `${id}_kept4`, 6: `${id}_kept6` },
    pods: [pod[4], pod[6]],
  };
}

export class NamesLab {
  readonly #children: Child[] = [];
  // Test files run in threads of one process.
  readonly #prefix = `twd-${process.pid}-${threadId}`;
  /** What dnsmasq says of its queries. */
  readonly serverLog: string[] = [];

  /** `dnsmasq`: options with the records it is to serve. `sizes`: how many elements fit into which set. */
  async setUp(
    dnsmasq: readonly string[],
    names: readonly NameSet[],
    sizes: Readonly<Record<string, number>> = {},
  ): Promise<void> {
    for (const name of ["pod", "node", "world"]) {
      await run("ip", ["netns", "add", this.#space(name)]);
      await this.run(name, "ip link set lo up");
    }
    await this.#link("pod", "node", "1");
    await this.#link("world", "node", "2");
    await this.run("pod", "ip route add default via 10.70.1.1");
    await this.run("pod", "ip -6 route add default via fd70:1::1");
    await this.run("world", "ip route add default via 10.70.2.1");
    await this.run("world", "ip -6 route add default via fd70:2::1");
    for (const address of [liar.address, liar.stranger])
      await this.run("world", `ip addr add ${address}/24 dev eth0`);
    await this.run("node", "ip route add 203.0.113.0/24 via 10.70.2.53");
    await this.run("node", "ip -6 route add 2001:db8:cafe::/64 via fd70:2::53");
    await this.run("world", "ip route add local 203.0.113.0/24 dev lo");
    await this.run("world", "ip -6 route add local 2001:db8:cafe::/64 dev lo");
    await this.run("node", "sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1");
    await this.nft("node", tableText(dnsPart.ruleset, names, sizes));
    await this.#serve(dnsmasq);
  }

  async tearDown(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    for (const name of ["pod", "node", "world"])
      await run("ip", ["netns", "delete", this.#space(name)]).catch(() => undefined);
  }

  /** Runs a command in a namespace; its output. */
  async run(name: string, command: string): Promise<string> {
    return run("ip", ["netns", "exec", this.#space(name), ...command.split(" ")]);
  }

  async nft(name: string, text: string): Promise<void> {
    const child = this.#spawn(name, "nft", ["-f", "-"]);
    child.stdin.end(text);
    const status = await exitOf(child);
    if (status !== 0) throw new Error(`nft refused:\n${text}`);
  }

  /** The output of `dig +short` in the pod, sorted; a text that says so if there was no answer. */
  async dig(...parameters: readonly string[]): Promise<readonly string[]> {
    const words = ["dig", "+short", "+tries=1", "+time=10", ...parameters].join(" ");
    const text = await this.run("pod", words).catch(() => "no answer");
    return text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith(";"))
      .toSorted();
  }

  /** The pod sends bytes to port 53, and no more; what comes back over TCP until the other side closes. */
  async say(protocol: "udp" | "tcp", address: string, bytes: Buffer): Promise<Buffer> {
    const given = `Buffer.from("${bytes.toString("hex")}","hex")`;
    const script =
      protocol === "udp"
        ? `const s=require("dgram").createSocket("udp4");s.send(${given},53,"${address}",()=>s.close())`
        : `const s=require("net").connect({port:53,host:"${address}",allowHalfOpen:true});s.on("error",()=>0).end(${given});s.pipe(process.stdout)`;
    const child = this.#spawn("pod", process.execPath, ["-e", script]);
    const heard: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => heard.push(chunk));
    await once(child, "close");
    return Buffer.concat(heard);
  }

  /** Whether the pod can open a TCP connection to port 80 of this address. What came is heard before it is given up. */
  async connects(address: string): Promise<boolean> {
    const script = `require("net").connect(80,"${address}").on("connect",()=>process.exit(0)).on("error",()=>process.exit(1)).setTimeout(700,()=>setImmediate(()=>process.exit(1)))`;
    const child = this.#spawn("pod", process.execPath, ["-e", script]);
    const status = await exitOf(child);
    return status === 0;
  }

  /** A connection of the pod to the echo server at an address, which stays open. */
  async keepOpen(address: string): Promise<{ echo(word: string): Promise<string> }> {
    const script = `const s=require("net").connect(80,"${address}",()=>console.log("open"));s.pipe(process.stdout);process.stdin.pipe(s)`;
    const child = this.#spawn("pod", process.execPath, ["-e", script]);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    return {
      echo: async (word) => {
        child.stdin.write(`${word}\n`);
        const late = sleep(300_000, undefined, { ref: false }).then(() => "nothing came back");
        return Promise.race([late, lines.next().then(({ value }) => String(value))]);
      },
    };
  }

  async elements(set: string): Promise<readonly string[]> {
    const text = await this.run("node", `nft -s list set inet ${table} ${set}`);
    const inside = /elements = \{([^}]*)\}/.exec(text)?.[1] ?? "";
    return [...inside.matchAll(/ \. (\S+) timeout/g)].map(([, address]) => address!).toSorted();
  }

  async startNode(options: NamesNodeOptions & { readonly names: readonly NameSet[] }): Promise<NamesNode> {
    const as = options.asPod === false ? "node" : "pod";
    const servers = [server[4], server[6], liar.address].map((address) => ({ address, port: 53 }));
    const given = {
      table,
      names: options.names,
      servers,
      upstreams: Object.fromEntries(
        servers.map((one) => [one.address, options.denied?.includes(one.address) ? [] : [{ ...one, as }]]),
      ),
      pods: [[pod[4], pod[6]]],
      inside: { pods: [], nodes: [], services: [], podRanges: [], ...options.inside },
      nameBit,
      lifetimes: options.lifetimes,
      redirectMilliseconds: options.redirectMilliseconds ?? 10_000,
      renewMilliseconds: Math.round((options.redirectMilliseconds ?? 10_000) / 3),
    };
    const script = fileURLToPath(new URL("./names-node.mjs", import.meta.url));
    const child = this.#spawn("node", process.execPath, [script, JSON.stringify(given)]);
    const node = new RunningNode(child);
    await node.waitFor("ready");
    return node;
  }

  async startLiar(truth: string, lie: string): Promise<void> {
    const script = fileURLToPath(new URL("./forging-server.mjs", import.meta.url));
    const child = this.#spawn("world", process.execPath, [script, liar.address, liar.stranger, truth, lie]);
    await once(child.stdout, "data");
  }

  async #serve(dnsmasq: readonly string[]): Promise<void> {
    const fixed = ["--no-daemon", "--no-resolv", "--no-hosts", "--conf-file=/dev/null", "--log-queries"];
    const where = [
      "--log-facility=-",
      "--bind-interfaces",
      ...Object.values(server).map((a) => `--listen-address=${a}`),
    ];
    const resolver = this.#spawn("world", "sh", [
      "-c",
      'exec dnsmasq "$@" 2>&1',
      "sh",
      ...fixed,
      ...where,
      ...dnsmasq,
    ]);
    createInterface({ input: resolver.stdout }).on("line", (line) => this.serverLog.push(line));
    const script =
      'require("net").createServer(s=>s.on("error",()=>0).pipe(s)).listen(80,"::",()=>console.log("up"))';
    const echo = this.#spawn("world", process.execPath, ["-e", script]);
    await once(echo.stdout, "data");
    for (let i = 0; i < 6_000 && !this.serverLog.some((line) => line.includes("started")); i++)
      await sleep(50);
  }

  async #link(name: string, router: string, net: string): Promise<void> {
    const [a, b] = [this.#space(name), this.#space(router)];
    const end = net === "1" ? "2" : "53";
    await run("ip", [
      "link",
      "add",
      "eth0",
      "netns",
      a,
      "type",
      "veth",
      "peer",
      "name",
      `to${name}`,
      "netns",
      b,
    ]);
    for (const [where, device, host] of [
      [name, "eth0", end],
      [router, `to${name}`, "1"],
    ] as const) {
      await this.run(where, `ip addr add 10.70.${net}.${host}/24 dev ${device}`);
      await this.run(where, `ip -6 addr add fd70:${net}::${host}/64 dev ${device} nodad`);
      await this.run(where, `ip link set ${device} up`);
    }
  }

  #space(name: string): string {
    return `${this.#prefix}-${name}`;
  }

  #spawn(name: string, program: string, parameters: readonly string[]): Child {
    const child = spawn("ip", ["netns", "exec", this.#space(name), program, ...parameters], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#children.push(child);
    return child;
  }
}

class RunningNode implements NamesNode {
  readonly events: Event[] = [];
  #heard: (() => void)[] = [];

  constructor(private readonly child: Child) {
    const wakeAll = () => {
      for (const wake of this.#heard.splice(0)) wake();
    };
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.events.push(JSON.parse(line) as Event);
      wakeAll();
    });
    child.on("exit", wakeAll);
  }

  count(kind: string, fields: Readonly<Record<string, unknown>> = {}): number {
    const fits = (event: Event) => Object.entries(fields).every(([name, value]) => event[name] === value);
    return this.events.filter((event) => event.kind === kind && fits(event)).length;
  }

  async waitFor(kind: string): Promise<Event> {
    for (;;) {
      const found = this.events.find((event) => event.kind === kind);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`the process ended before it said \`${kind}\``);
      await new Promise<void>((wake) => this.#heard.push(wake));
    }
  }

  send(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  async end(signal?: "SIGKILL"): Promise<void> {
    const exit = once(this.child, "exit");
    if (signal === undefined) this.send("stop");
    else this.child.kill(signal);
    await exit;
  }
}

async function exitOf(child: Child): Promise<number | null> {
  await once(child, "exit");
  return child.exitCode;
}

async function run(program: string, parameters: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, parameters, (error, text, complaint) =>
      error === null ? resolve(text) : reject(new Error(`${program} ${parameters.join(" ")}: ${complaint}`)),
    );
  });
}

/** The DNS part, and a small policy: the pod may reach addresses that names resolved to, and its DNS servers. */
function tableText(
  { chains, sets }: Ruleset,
  names: readonly NameSet[],
  sizes: Readonly<Record<string, number>>,
): string {
  const lines = [`table inet ${table} {`];
  const addSet = (name: string, { kind, type, flags }: NamedSet) => {
    const size = sizes[name] === undefined ? "" : ` size ${sizes[name]};`;
    lines.push(`${kind} ${name} { type ${type};${size} flags ${flags.join(",")}; }`);
  };
  for (const [name, set] of sets) addSet(name, set);
  for (const family of [4, 6] as const)
    for (const set of names)
      for (const name of [set.fresh[family], set.kept[family]]) {
        const address = `ipv${family}_addr`;
        addSet(name, {
          kind: "set",
          type: `${address} . ${address}`,
          flags: ["timeout"],
          elements: "learned",
        });
      }
  for (const [name, { hook, rules }] of chains) lines.push(`chain ${name} {`, hook ?? "", ...rules, "}");
  lines.push("chain stamp {", "accept", "}");
  lines.push("chain input {", "type filter hook input priority -10; policy accept;", ...dnsPart.input, "}");
  lines.push(
    "chain output {",
    "type filter hook output priority -10; policy accept;",
    ...dnsPart.output,
    "}",
  );
  lines.push(
    "chain egress {",
    "type filter hook forward priority -10; policy accept;",
    'iifname != "topod" accept',
  );
  lines.push("meta l4proto 58 accept", "meta l4proto { 6, 17 } th dport 53 accept");
  for (const { fresh, kept } of names)
    for (const [family, ip] of [
      [4, "ip"],
      [6, "ip6"],
    ] as const) {
      const pair = `${ip} saddr . ${ip} daddr`;
      const byName = `ct mark & ${nameBit} == ${nameBit}`;
      lines.push(`ct state established ${byName} ${pair} @${kept[family]} accept`);
      lines.push(`ct state new ${pair} @${fresh[family]} ct mark set ct mark | ${nameBit} accept`);
    }
  lines.push("drop", "}", "}");
  return `${lines.join("\n")}\n`;
}
