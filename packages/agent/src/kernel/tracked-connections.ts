import { formatAddress, parseAddress } from "@tierwall/core/model";
import { hex } from "../ruleset/connection-mark.js";
import { protocolName } from "../ruleset/vocabulary.js";
import { run } from "./command.js";
import { done, failed, type Outcome } from "./outcome.js";

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
