import { execFileSync, spawnSync } from "node:child_process";

/** Why tests that need namespaces and nftables cannot run on this machine, if they cannot. */
export function whyNoNamespaces(): string | undefined {
  if (process.getuid?.() !== 0) return "not root";
  for (const program of ["ip", "nft", "conntrack"]) {
    if (spawnSync(program, ["-V"]).error) return `${program} is not installed`;
  }
  return undefined;
}

let made = 0;

/** A network namespace of its own for a test. */
export class NetworkNamespace {
  readonly name: string;

  constructor(prefix: string) {
    made += 1;
    this.name = `${prefix}-${process.pid}-${Math.random().toString(36).slice(2, 6)}-${made}`;
    execFileSync("ip", ["netns", "add", this.name]);
    this.run("ip", "link", "set", "lo", "up");
  }

  get enter(): readonly string[] {
    return ["ip", "netns", "exec", this.name];
  }

  run(...command: readonly string[]): string {
    const [program, ...args] = [...this.enter, ...command];
    const { status, stdout, stderr } = spawnSync(program!, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
    return stdout;
  }

  load(rules: string): void {
    this.#feed(rules, "nft", "-f", "-");
  }

  /** Opens connections without traffic. */
  connect(count: number, mark: string): void {
    const lines = Array.from({ length: count }, (_, i) => {
      const ports = `--sport ${1 + Math.floor(i / 100)} --dport ${1 + (i % 100)}`;
      return `-I -s 10.0.0.1 -d 10.0.0.2 -p udp ${ports} -t 600 -m ${mark}\n`;
    });
    // It opens its input by name, which a socket has not.
    this.#feed(lines.join(""), "sh", "-c", "cat | conntrack -R -");
  }

  #feed(input: string, ...command: readonly string[]): void {
    const args = [...this.enter.slice(1), ...command];
    const { status, stderr } = spawnSync("ip", args, { encoding: "utf8", input });
    if (status !== 0) throw new Error(stderr);
  }

  /** Whether rules let a datagram out to a UDP port of this namespace itself: a denial at the output hook is an error for the sender. */
  lets(port: number): boolean {
    // Without --norc it reads what its user has for terminals first, where its input is a socket, as Node's pipes are.
    const send = `echo -n hello > /dev/udp/127.0.0.1/${port}`;
    return spawnSync("ip", [...this.enter.slice(1), "bash", "--norc", "-c", send]).status === 0;
  }

  get processes(): readonly number[] {
    const pids = execFileSync("ip", ["netns", "pids", this.name], { encoding: "utf8" });
    return pids
      .split("\n")
      .filter((pid) => pid !== "")
      .map(Number);
  }

  remove(): void {
    execFileSync("ip", ["netns", "delete", this.name]);
  }
}
