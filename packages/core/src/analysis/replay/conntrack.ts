import { echoRequest } from "../../evaluate/match.js";
import { type Address, parseAddress } from "../../net/address.js";
import { broken, type ReadLine, skipped } from "./observation.js";

/*
 * `conntrack -L`, or /proc/net/nf_conntrack: one line per connection, with the addresses and ports of the packets that
 * opened it, and then those of the replies. If the destination was rewritten, the replies have the real one.
 */

const protocols: ReadonlyMap<string, "TCP" | "UDP" | "SCTP" | "ICMP"> = new Map([
  ["tcp", "TCP"],
  ["udp", "UDP"],
  ["sctp", "SCTP"],
  ["icmp", "ICMP"],
  ["icmpv6", "ICMP"],
  ["ipv6-icmp", "ICMP"],
]);

/** `tcp 6 431999 …`, after `ipv4 2` where the family is written. */
const beginning = /^(?:ipv[46]\s+\d+\s+)?([a-z][a-z0-9-]*)\s+\d+\s/;

export const isConntrack = (line: string): boolean => nameIn(line) !== undefined;

const nameIn = (line: string): string | undefined =>
  /\bsrc=/.test(line) ? beginning.exec(line)?.[1] : undefined;

export function readConntrack(line: string): ReadLine {
  if (/^conntrack v\d/.test(line)) return skipped("event");
  const name = nameIn(line);
  if (name === undefined) return broken("it does not begin like an entry of conntrack -L");
  const protocol = protocols.get(name);
  if (protocol === undefined) return skipped("protocol");
  const [opening, answer] = tuplesIn(line);
  const source = addressIn(opening, "src");
  // S1.9: after the rewriting, the destination is the endpoint that replies.
  const destination = addressIn(answer, "src") ?? addressIn(opening, "dst");
  if (source === undefined || destination === undefined)
    return broken(`its ${source === undefined ? "src" : "dst"} is not an address`);
  const ends = {
    from: { kind: "address", address: source },
    to: { kind: "address", address: destination },
    times: 1,
    ...(answer?.src !== undefined && answer.src !== opening?.dst ? { rewritten: true } : {}),
  } as const;
  if (protocol === "ICMP")
    return opening?.type === `${echoRequest[source.family]}`
      ? { kind: "observation", observation: { ...ends, port: { kind: "icmp" } } }
      : skipped("icmp");
  const port = Number(answer?.sport ?? opening?.dport);
  if (!Number.isInteger(port) || port < 1 || port > 65535) return broken("its dport is not a port");
  return { kind: "observation", observation: { ...ends, port: { kind: "number", port, protocol } } };
}

type Tuple = Readonly<Record<string, string>>;

/** The fields of each direction: after the first `src=`, and after the second. */
function tuplesIn(line: string): readonly Tuple[] {
  const tuples: Record<string, string>[] = [];
  for (const [, key, value] of line.matchAll(/(?:^|\s)(src|dst|sport|dport|type)=(\S+)/g)) {
    if (key === "src") tuples.push({});
    const last = tuples.at(-1);
    if (last !== undefined) last[key!] = value!;
  }
  return tuples;
}

const addressIn = (tuple: Tuple | undefined, key: string): Address | undefined =>
  tuple?.[key] === undefined ? undefined : parseAddress(tuple[key]);
