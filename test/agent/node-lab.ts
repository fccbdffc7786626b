import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import { Caller, Talker } from "./callers.js";

/*
 * A node that is a network namespace, and its pods, each a namespace behind a routed veth:
 *
 *    pod 10.9.0.11 ── veth ──┐
 *    pod 10.9.0.12 ── veth ──┤ node 10.9.0.1, forwards
 *    …
 *
 * Every pod answers TCP on 8080 and 9090.
 */

const bin = fileURLToPath(new URL("../../packages/cli/bin/tierwall.js", import.meta.url));
const answering = fileURLToPath(new URL("answering-pod.mjs", import.meta.url));
const talking = fileURLToPath(new URL("sending-pod.mjs", import.meta.url));

export const nodeAddress = "10.9.0.1";

let labs = 0;

export class NodeLab {
  readonly folder = mkdtempSync(join(tmpdir(), "tierwall-agent-"));
  // Test files run in threads of one process.
  readonly #name = `twa${process.pid}t${threadId}x${++labs}`;
  readonly #processes: ChildProcess[] = [];
  readonly #pods = new Map<string, string>();
  readonly #callers = new Map<string, Caller>();

  /** Pods, and others who might be anywhere, by name, with their addresses. */
  static async create(pods: Readonly<Record<string, string>>): Promise<NodeLab> {
    const lab = new NodeLab();
    try {
      lab.#addNode();
      await Promise.all(Object.entries(pods).map(([name, address]) => lab.addPod(name, address)));
    } catch (cause) {
      await lab.destroy();
      throw cause;
    }
    return lab;
  }

  get control(): string {
    return join(this.folder, "agent.sock");
  }

  addressOf(pod: string): string {
    const address = this.#pods.get(pod);
    if (address === undefined) throw new Error(`the lab has no pod \`${pod}\``);
    return address;
  }

  async addPod(name: string, address: string): Promise<void> {
    const [node, pod, veth] = [this.#name, `${this.#name}-${name}`, `v-${name}`];
    ip("netns", "add", pod);
    this.#pods.set(name, address);
    ip("-n", node, "link", "add", veth, "type", "veth", "peer", "name", "eth0", "netns", pod);
    ip("-n", node, "addr", "add", `${nodeAddress}/32`, "dev", veth);
    ip("-n", node, "link", "set", veth, "up");
    ip("-n", node, "route", "add", `${address}/32`, "dev", veth);
    ip("-n", pod, "link", "set", "lo", "up");
    ip("-n", pod, "link", "set", "eth0", "up");
    ip("-n", pod, "addr", "add", `${address}/32`, "dev", "eth0");
    ip("-n", pod, "route", "add", nodeAddress, "dev", "eth0", "scope", "link");
    ip("-n", pod, "route", "add", "default", "via", nodeAddress, "dev", "eth0");
    await this.#callerIn(name, "8080", "9090").listening;
  }

  /** In one step: a file that is half written is another one for a moment. */
  write(file: string, text: string): void {
    const [path, next] = [join(this.folder, file), join(this.folder, ".next")];
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(next, text);
    renameSync(next, path);
  }

  remove(file: string): void {
    rmSync(join(this.folder, file));
  }

  /** Runs a command in the namespace of a pod, or of the node, and returns what it prints. */
  run(where: string, command: string, ...args: readonly string[]): string {
    return execFileSync("ip", ["netns", "exec", this.#namespace(where), command, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  start(where: string, command: string, args: readonly string[]): ChildProcess {
    // Not `ip netns exec`, which would stay between: signals are meant for the process itself.
    const entered = [`--net=/run/netns/${this.#namespace(where)}`, command, ...args];
    const child = spawn("nsenter", entered, { stdio: ["pipe", "pipe", "pipe"], cwd: this.folder });
    this.#processes.push(child);
    return child;
  }

  /** `tierwall agent …` in the network of the node. */
  tierwall(...args: readonly string[]): ChildProcess {
    return this.tierwallWith({}, ...args);
  }

  /** The same, with these variables in its environment. */
  tierwallWith(environment: Readonly<Record<string, string>>, ...args: readonly string[]): ChildProcess {
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    return this.start("node", "env", [...variables, process.execPath, bin, "--no-config", ...args]);
  }

  /** Whether a TCP connection can be opened. */
  async reaches(from: string, to: string, port: number, milliseconds = 400): Promise<boolean> {
    const caller = this.#callers.get(from) ?? this.#callerIn(from);
    await caller.listening;
    return caller.reaches(to, port, milliseconds);
  }

  /** Opens a TCP connection and keeps talking on it. */
  talk(from: string, to: string, port: number): Talker {
    return new Talker(this.start(from, process.execPath, [talking, to, String(port)]));
  }

  nft(...args: readonly string[]): string {
    return this.run("node", "nft", ...args);
  }

  /** What a web server says that only the node can reach. */
  get(url: string): string {
    const show = `fetch("${url}").then((response) => response.text()).then((text) => process.stdout.write(text))`;
    return this.run("node", process.execPath, "-e", show);
  }

  async destroy(): Promise<void> {
    // Who is still about to end might write into the folder, or be asked for by its namespace.
    await Promise.all(this.#processes.map(ended));
    for (const name of ["node", ...this.#pods.keys()])
      try {
        ip("netns", "del", this.#namespace(name));
      } catch {
        // It may not have come into being.
      }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #callerIn(where: string, ...ports: readonly string[]): Caller {
    const caller = new Caller(this.start(where, process.execPath, [answering, ...ports]));
    this.#callers.set(where, caller);
    return caller;
  }

  #namespace(where: string): string {
    return where === "node" ? this.#name : `${this.#name}-${where}`;
  }

  #addNode(): void {
    ip("netns", "add", this.#name);
    ip("-n", this.#name, "link", "set", "lo", "up");
    this.run("node", "sysctl", "-qw", "net.ipv4.ip_forward=1");
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** Why this machine cannot run such tests; undefined where it can. */
export function noLabBecause(...more: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  const missing = ["nft", "ip", "nsenter", "conntrack", ...more].find(
    (command) => spawnSync("which", [command]).status !== 0,
  );
  return missing === undefined ? undefined : `needs ${missing}`;
}
