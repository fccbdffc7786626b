import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * A machine of its own for a reader who runs services: namespaces for the network, mounts and the host name. Every port is free
 * there, an agent finds no other tables and locks, and what is written below /etc, /run and /var/lib goes with the machine.
 * The API server of the tests is reached through a socket in the file system:
 *
 *   machine: 0.0.0.0:6443 ──► socket ──► this process ──► 127.0.0.1:PORT: the API server
 */

export const noMachine: string | undefined =
  process.platform === "linux" && process.getuid?.() === 0 ? undefined : "needs root, on Linux";

/** The address of the API server in the machine. */
export const machineApiServer = "https://127.0.0.1:6443";

const forward = `
  const { connect, createServer } = require("node:net");
  createServer((client) => {
    const upstream = connect(process.argv[1]);
    for (const [a, b] of [[client, upstream], [upstream, client]]) a.on("error", () => b.destroy()).pipe(b);
  }).listen(6443, "0.0.0.0", () => console.log("ready"));
`;

export class ReadersMachine {
  readonly #temporary = mkdtempSync(join(tmpdir(), "tierwall-machine-"));
  #server: Server | undefined;
  #holder: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** With an API server on this port of the host, and files to copy to /etc/tierwall. */
  static async start(
    apiPort: number,
    folder: string,
    env: Readonly<Record<string, string>>,
    configuration: readonly string[],
  ): Promise<ReadersMachine> {
    const machine = new ReadersMachine(folder, env);
    try {
      await machine.#listen(apiPort);
      await machine.#begin(configuration);
    } catch (cause) {
      await machine.stop();
      throw cause;
    }
    return machine;
  }

  /** Starts a line in a shell of the machine, in the folder of the reader. */
  start(line: string): RunningLine {
    const script = `cd ${this.folder} && ${/[|<>$]/.test(line) ? line : `exec ${line}`}`;
    const entered = ["--target", `${this.#holder!.pid}`, "--net", "--mount", "--uts"];
    return new RunningLine(
      line,
      spawn("nsenter", [...entered, "bash", "-o", "pipefail", "-c", script], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, NO_COLOR: "1", ...this.env },
      }),
    );
  }

  async stop(): Promise<void> {
    this.#server?.close();
    if (this.#holder !== undefined && this.#holder.exitCode === null) {
      this.#holder.kill("SIGKILL");
      await once(this.#holder, "close");
    }
    rmSync(this.#temporary, { recursive: true, force: true });
  }

  async #listen(apiPort: number): Promise<void> {
    const server = createServer((client) => {
      const upstream = connect(apiPort, "127.0.0.1");
      for (const [a, b] of [
        [client, upstream],
        [upstream, client],
      ] as const)
        a.on("error", () => b.destroy()).pipe(b);
    }).listen(join(this.#temporary, "api.sock"));
    await once(server, "listening");
    this.#server = server;
  }

  async #begin(configuration: readonly string[]): Promise<void> {
    const etc = join(this.#temporary, "etc");
    const script = [
      "set -e",
      "hostname worker-1",
      "ip link set lo up",
      "ip addr add 10.0.0.1/32 dev lo",
      "for folder in /run /var/lib /var/log; do mount -t tmpfs none $folder; done",
      `cp -a /etc ${etc}`,
      `mkdir ${etc}/tierwall /var/log/tierwall`,
      `cp ${configuration.join(" ")} ${etc}/tierwall/`,
      `mount --bind ${etc} /etc`,
      `exec ${process.execPath} -e '${forward}' ${join(this.#temporary, "api.sock")}`,
    ];
    const namespaces = ["--net", "--mount", "--uts", "--propagation", "private"];
    this.#holder = spawn("unshare", [...namespaces, "bash", "-c", script.join("\n")], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    await new RunningLine("the machine", this.#holder).says(/ready/);
  }
}

/** A line that was started, and what it prints. */
export class RunningLine {
  output = "";
  readonly ended: Promise<number | null>;

  constructor(
    readonly line: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    this.ended = once(child, "close").then(([status]) => status as number | null);
  }

  /** Waits until it has printed this. */
  async says(pattern: RegExp): Promise<void> {
    let isOver = false;
    void this.ended.then(() => (isOver = true));
    while (!pattern.test(this.output)) {
      if (isOver) throw new Error(`\`${this.line}\` ended, and printed only: ${this.output}`);
      await new Promise((next) => setTimeout(next, 20));
    }
  }

  async stop(): Promise<number | null> {
    this.child.kill("SIGTERM");
    return this.ended;
  }
}
