import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { makeFolder } from "@tierwall/kube";
import { findProgram, killedWithParent, searchPath } from "../kernel/command.js";

interface UlogdOptions {
  readonly installed: InstalledUlogd;
  /** The NFLOG group that rules log to. */
  readonly group: number;
  /** For its configuration and the socket between it and the agent; not shared with other programs. */
  readonly folder: string;
  readonly onLine: (line: string) => void;
  readonly onRunning: (running: boolean) => void;
  readonly onTrouble: (message: string) => void;
}

/** Delays before a restart in milliseconds: doubled each time, until ulogd has run for a while (`healthy`). */
const restarts = { first: 500, most: 30_000, healthy: 60_000 };

/** ulogd writes no longer lines. */
const longestLine = 65_536;

/**
 * ulogd2 as a child process: it reads NFLOG messages from the kernel, and writes each as a line of JSON to a socket of the agent.
 * It runs in the network namespace of the agent, and is killed with it.
 */
export class Ulogd {
  readonly #socket: string;
  #server: Server | undefined;
  readonly #connections = new Set<Socket>();
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #delay = restarts.first;
  #stopped = false;

  constructor(private readonly options: UlogdOptions) {
    this.#socket = join(options.folder, "packets.sock");
  }

  async start(): Promise<void> {
    const { installed, folder, group } = this.options;
    makeFolder(folder, 0o700);
    const config = join(folder, "ulogd.conf");
    writeFileSync(config, ulogdConfig(installed.plugins, group, this.#socket));
    await this.#listen();
    this.#run(config);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child !== undefined) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
    }
    for (const connection of this.#connections) connection.destroy();
    await new Promise((resolve) => (this.#server === undefined ? resolve(0) : this.#server.close(resolve)));
  }

  /** Of the running process, if there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  #listen(): Promise<void> {
    // Left over from an agent that was killed.
    rmSync(this.#socket, { force: true });
    const server = createServer((connection) => {
      this.#connections.add(connection);
      connection.on("close", () => this.#connections.delete(connection));
      connection.on("error", () => connection.destroy());
      readLines(connection, this.options.onLine);
    });
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#socket, resolve);
    });
  }

  #run(config: string): void {
    const started = Date.now();
    const [command, args] = killedWithParent(this.options.installed.program, ["-c", config]);
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    this.options.onRunning(true);
    let output = "";
    const listen = (text: Buffer) => {
      output = (output + text.toString()).slice(-2000);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    let over = false;
    const ended = (why: string) => {
      if (over) return;
      over = true;
      this.#child = undefined;
      this.options.onRunning(false);
      if (this.#stopped) return;
      if (Date.now() - started > restarts.healthy) this.#delay = restarts.first;
      this.options.onTrouble(`ulogd ended (${why}) and restarts in ${this.#delay} ms${errorIn(output)}`);
      this.#timer = setTimeout(() => this.#run(config), this.#delay);
      this.#delay = Math.min(this.#delay * 2, restarts.most);
    };
    child.once("error", (error) => ended(error.message));
    child.once("exit", (code, signal) => ended(signal ?? `status ${code}`));
  }
}

/** `<7>` and `<8>` are errors, of which the first is the most useful. */
function errorIn(output: string): string {
  const [, error] = /<[78]> \S+ (.*)/.exec(output) ?? [];
  return error === undefined ? "" : `: ${error}`;
}

function readLines(connection: Socket, onLine: (line: string) => void): void {
  let rest = "";
  connection.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    if (rest.length > longestLine) rest = "";
    for (const line of lines) onLine(line);
  });
}

/** The plugins of ulogd2 that the agent uses. */
const needed = ["inppkt_NFLOG", "raw2packet_BASE", "filter_IFINDEX", "filter_IP2STR", "output_JSON"];

export interface InstalledUlogd {
  readonly program: string;
  /** The folder with its plugins. */
  readonly plugins: string;
}

/** Where ulogd is installed; or what is missing, and how to install it. */
export function findUlogd(
  programFolders: readonly string[] = searchPath(),
  pluginFolders: readonly string[] = usualPluginFolders(),
): InstalledUlogd | { readonly missing: string } {
  const missing = (what: string) => ({ missing: `${what}; on Debian, \`apt install ulogd2 ulogd2-json\`` });
  const program = findProgram("ulogd", programFolders);
  if (program === undefined) return missing("`ulogd` is not installed");
  const plugins = pluginFolders.find((folder) => existsSync(join(folder, "ulogd_inppkt_NFLOG.so")));
  if (plugins === undefined) return missing(`the plugins of \`${program}\` were not found`);
  const lacking = needed.find((name) => !existsSync(join(plugins, `ulogd_${name}.so`)));
  if (lacking !== undefined) return missing(`\`ulogd_${lacking}.so\` is not in \`${plugins}\``);
  return { program, plugins };
}

/** Distributions differ; on Debian the path contains the architecture. */
function usualPluginFolders(): readonly string[] {
  const architectures = readdirSync("/usr/lib").filter((name) => name.includes("-linux-"));
  return [
    ...architectures.map((name) => `/usr/lib/${name}/ulogd`),
    "/usr/lib64/ulogd",
    "/usr/lib/ulogd",
    "/usr/local/lib/ulogd",
  ];
}

function ulogdConfig(plugins: string, group: number, socket: string): string {
  const plugin = (name: string) => `plugin="${join(plugins, `ulogd_${name}.so`)}"`;
  return [
    "[global]",
    'logfile="stdout"',
    "loglevel=5",
    ...needed.map(plugin),
    "stack=log:NFLOG,base:BASE,ifi:IFINDEX,ip2str:IP2STR,json:JSON",
    "[log]",
    `group=${group}`,
    // Delivered after at most a tenth of a second, or when this many are queued.
    "netlink_qtimeout=10",
    "netlink_qthreshold=50",
    "netlink_socket_buffer_size=1048576",
    "netlink_socket_buffer_maxsize=4194304",
    "[json]",
    'mode="unix"',
    `file="${socket}"`,
    "",
  ].join("\n");
}
