import { formatAddress, parseAddress } from "@tierwall/core/model";
import type { SocketAddress } from "../dns/redirect.js";
import { hex } from "../ruleset/connection-mark.js";
import { protocolName } from "../ruleset/vocabulary.js";
import { run } from "./command.js";
import { done, failed, type Outcome } from "./outcome.js";

/** Clears the bits of connection marks that contain the generation of the rules. */
export class Conntrack {
  constructor(readonly command: readonly string[] = ["conntrack"]) {}

  async isInstalled(): Promise<Outcome<void>> {
    const { status, ended } = await run([...this.command, "--version"]);
    if (status === 0) return done(undefined);
    return failed(
      `cannot run \`conntrack\` (${ended ?? `status ${status}`}): install the package \`conntrack\`, which is needed to evaluate connections again when generations restart`,
    );
  }

  /**
   * Clears bits of the marks of connections. Returns whether all are cleared. One call may clear only a few hundred: conntrack
   * 1.4 leaves half of the kernel's answers unread until its buffer is full.
   */
  async clearSome(bits: number): Promise<Outcome<boolean>> {
    // Without a family, conntrack stops at the first connection that it cannot encode.
    const [ipv4, ipv6] = await Promise.all(
      ["ipv4", "ipv6"].map((family) => this.#update("-f", family, "-m", `0/0x${bits.toString(16)}`)),
    );
    if (!ipv4!.ok || !ipv6!.ok) return ipv4!.ok ? ipv6! : ipv4!;
    return done(ipv4!.value && ipv6!.value);
  }

  /** The rules must not write the same bits meanwhile, or it might not end. */
  async clearAll(bits: number): Promise<Outcome<void>> {
    for (;;) {
      const cleared = await this.clearSome(bits);
      if (!cleared.ok) return cleared;
      if (cleared.value) return done(undefined);
    }
  }

  /** Returns whether all connections were visited. */
  async #update(...args: readonly string[]): Promise<Outcome<boolean>> {
    let problem = "";
    // conntrack stops if a connection ends while it lists them.
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, stdout, stderr, ended } = await run([...this.command, "-U", ...args]);
      // It also fails if there was no connection to update.
      if (status === 0 || /\b0 flow entries have been updated/.test(stderr)) return done(true);
      // It prints each updated connection.
      if (stdout !== "") return done(false);
      problem = ended ?? stderr.trim();
    }
    return failed(`cannot clear the marks of connections: conntrack reported \`${problem}\``);
  }
}

/** A connection that the kernel tracks, as it was opened. The destination is the real one, behind any Service. */
export interface TrackedConnection {
  /** The number that the kernel gave it. */
  readonly id: string;
  readonly protocol: string;
  readonly source: ConnectionEnd;
  readonly destination: ConnectionEnd;
}

export interface ConnectionEnd {
  readonly address: string;
  /** Absent for protocols without ports. */
  readonly port?: number;
}

/** The connections whose mark has the given bit. The kernel filters them. */
export async function connectionsMarked(bit: number): Promise<Outcome<readonly TrackedConnection[]>> {
  const mark = `${hex(bit)}/${hex(bit)}`;
  // Without a family, conntrack stops at the first connection that it cannot encode.
  const families = await Promise.all(
    ["ipv4", "ipv6"].map((family) => run(["conntrack", "-L", "-o", "id", "-f", family, "--mark", mark])),
  );
  const bad = families.find(({ status }) => status !== 0);
  if (bad !== undefined) return failed(bad.ended ?? bad.stderr.trim());
  return done(families.flatMap(({ stdout }) => connectionsIn(stdout)));
}

/** Parses the output of `conntrack -L -o id`: one connection per line, first the original direction, then the replies. */
export function connectionsIn(text: string): readonly TrackedConnection[] {
  return text.split("\n").flatMap((line) => {
    const [, protocol] = /^\S+\s+(\d+)\s/.exec(line) ?? [];
    const all = (key: string) =>
      [...line.matchAll(new RegExp(`\\s${key}=(\\S+)`, "g"))].map(([, value]) => value!);
    const [opener, answerer] = all("src").map(parseAddress);
    const [[openerPort, answererPort], id] = [all("sport"), all("id").at(-1)];
    if (protocol === undefined || opener === undefined || answerer === undefined || id === undefined)
      return [];
    return [
      {
        id,
        protocol: protocolName(Number(protocol)),
        source: end(formatAddress(opener), openerPort),
        destination: end(formatAddress(answerer), answererPort),
      },
    ];
  });
}

const end = (address: string, port: string | undefined): ConnectionEnd => ({
  address,
  ...(port === undefined ? {} : { port: Number(port) }),
});

/** Deletes tracked UDP queries of a pod to a DNS server from before it was redirected: they would bypass the proxy. */
export async function forgetQueries(pod: string, server: SocketAddress): Promise<void> {
  const family = pod.includes(":") ? "ipv6" : "ipv4";
  const what = ["-s", pod, "-d", server.address, "-p", "udp", "--dport", String(server.port)];
  // It fails if there are none. Entries that cannot be deleted expire.
  await run(["conntrack", "-D", "-f", family, ...what]);
}

/** Deletes tracked queries that were redirected to a proxy that no longer runs. */
export async function forgetRedirected({ address, port }: SocketAddress): Promise<void> {
  const [family, host] = address.includes(":") ? ["ipv6", `[${address}]`] : ["ipv4", address];
  await run(["conntrack", "-D", "-f", family, "-p", "udp", "--dst-nat", `${host}:${port}`]);
}
