import { type EndpointRef, parseEndpoint, parsePort } from "../endpoints/endpoint-ref.js";
import { broken, type Observation, type ObservedEnd, type ReadLine, skipped } from "./observation.js";
import { echoRequest } from "../../evaluate/match.js";
import { type Address, parseAddress } from "../../net/address.js";
import { isObject, type JsonObject } from "../../manifest/document.js";

/*
 * Generic records: CSV with a header, or a JSON object on each line, with the same fields.
 */

/** What the columns may be called. */
const columns = {
  from: ["from", "source", "src"],
  to: ["to", "destination", "dst"],
  port: ["port", "dport", "destination_port"],
  protocol: ["protocol", "proto"],
  count: ["count"],
  verdict: ["verdict"],
} as const;
type Column = keyof typeof columns;
type Fields = Partial<Record<Column, string>>;

const columnCalled = (name: string): Column | undefined =>
  (Object.keys(columns) as Column[]).find((column) =>
    (columns[column] as readonly string[]).includes(name.trim().toLowerCase()),
  );

/** Which column is where; undefined where the line is not the header of such a table. */
export function headerOf(line: string): readonly (Column | undefined)[] | undefined {
  const found = cellsOf(line).map(columnCalled);
  return found.includes("from") && found.includes("to") ? found : undefined;
}

export function readCsv(header: readonly (Column | undefined)[], line: string): ReadLine {
  const cells = cellsOf(line);
  if (cells.length > header.length)
    return broken(`it has ${cells.length} cells, and the header ${header.length}`);
  const fields: Fields = {};
  for (const [i, column] of header.entries())
    if (column !== undefined && cells[i] !== undefined) fields[column] = cells[i].trim();
  return readFields(fields);
}

export function readJsonLine(line: string): ReadLine {
  const value = objectOn(line);
  if (typeof value === "string") return broken(value);
  const fields: Fields = {};
  for (const [key, field] of Object.entries(value)) {
    const column = columnCalled(key);
    if (column === undefined || field === null) continue;
    if (typeof field !== "string" && typeof field !== "number")
      return broken(`its \`${key}\` is not a string`);
    fields[column] = String(field);
  }
  return readFields(fields);
}

function readFields({ from, to, port, protocol, count, verdict }: Fields): ReadLine {
  const [source, destination] = [endOf("from", from), endOf("to", to)];
  if (typeof source === "string") return broken(source);
  if (typeof destination === "string") return broken(destination);
  const asked = portOf(port, protocol);
  if (typeof asked === "string") return broken(asked);
  const times = count === undefined || count === "" ? 1 : Number(count);
  if (!Number.isInteger(times) || times < 0) return broken(`\`${count}\` is not a count`);
  const seen = verdict === undefined || verdict === "" ? undefined : seenAs(verdict);
  if (seen === "unknown") return broken(`\`${verdict}\` is not a verdict; write allowed or denied`);
  return {
    kind: "observation",
    observation: {
      from: source,
      to: destination,
      port: asked,
      times,
      ...(seen === undefined ? {} : { seen: { verdict: seen } }),
    },
  };
}

function endOf(column: Column, text: string | undefined): ObservedEnd | string {
  if (text === undefined || text === "") return `it has no \`${column}\``;
  const ref = parseEndpoint(text);
  if (!ref.ok) return ref.diagnostic.message;
  return endWritten(text, ref.value);
}

const endWritten = (text: string, ref: EndpointRef): ObservedEnd =>
  ref.kind === "address" ? { kind: "address", address: ref.address } : { kind: "written", text, ref };

function portOf(port: string | undefined, protocol: string | undefined): Observation["port"] | string {
  if (/^icmp(v6)?$/i.test(protocol ?? "")) return { kind: "icmp" };
  if (port === undefined || port === "") return "it has no `port`";
  const text = protocol === undefined || protocol === "" || port.includes("/") ? port : `${port}/${protocol}`;
  const parsed = parsePort(text);
  if (!parsed.ok) return parsed.diagnostic.message;
  return parsed.value.kind === "all" ? "it has no `port`" : parsed.value;
}

const seenWords = {
  Allow: ["allow", "allowed", "accept", "accepted", "forwarded"],
  Deny: ["deny", "denied", "drop", "dropped", "reject", "rejected"],
};

function seenAs(word: string): "Allow" | "Deny" | "unknown" {
  const folded = word.toLowerCase();
  if (seenWords.Allow.includes(folded)) return "Allow";
  return seenWords.Deny.includes(folded) ? "Deny" : "unknown";
}

/** The cells of a line; in quotes, commas are text and two quotes are one. */
function cellsOf(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(",");
  const cell = /"((?:[^"]|"")*)"(?=,|$)|[^,]*/y;
  const cells: string[] = [];
  for (;;) {
    const [whole, quoted] = cell.exec(line)!;
    cells.push(quoted === undefined ? whole : quoted.replaceAll('""', '"'));
    if (cell.lastIndex >= line.length) return cells;
    // After the comma.
    cell.lastIndex++;
  }
}

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

/** The object on a line, or what is wrong with it. */
export function objectOn(line: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : "it is not a JSON object";
  } catch {
    return "it is not JSON";
  }
}
