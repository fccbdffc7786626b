import { isObject } from "@tierwall/core/manifest";
import { protocolName } from "../ruleset/vocabulary.js";
import { parsedJson } from "./parsed-json.js";

/** A packet that the kernel logged, from the JSON output of ulogd2. */
export interface LoggedPacket {
  readonly time: Date;
  /** The id of the rule that logged it, or the name of another counter. */
  readonly id: string;
  /** It belonged to an established connection that the rule no longer allows. */
  readonly cut: boolean;
  /** The endpoints of the connection, in the direction in which it was opened. */
  readonly source: string;
  readonly destination: string;
  /** S1.16: the endpoint that is the node itself, at any address: a packet of the input hook is to the node. */
  readonly ownEnd?: "source" | "destination";
  /** `TCP`, or the number of a protocol that policies have no name for. */
  readonly protocol: string;
  readonly ports?: { readonly source: number; readonly destination: number };
  readonly icmp?: { readonly type: number; readonly code: number };
}

/** `tw:ID`, `tw:ID:cut`, `tw:ID:cut-reply`. */
const prefixes = /^tw:([^:]+)(?::(cut|cut-reply))?$/;

/** NF_INET_LOCAL_IN of the kernel. */
const inputHook = 1;

/** Undefined for lines of other programs, and for invalid ones. */
export function parseLoggedPacket(line: string): LoggedPacket | undefined {
  const fields = parsedJson(line);
  if (!isObject(fields)) return undefined;
  const text = (key: string) => (typeof fields[key] === "string" ? fields[key] : undefined);
  const number = (key: string) => (typeof fields[key] === "number" ? fields[key] : undefined);

  const [, id, cut] = prefixes.exec(text("oob.prefix")?.trim() ?? "") ?? [];
  const [from, to, protocol] = [text("src_ip"), text("dest_ip"), number("ip.protocol")];
  if (id === undefined || from === undefined || to === undefined || protocol === undefined) return undefined;

  const [fromPort, toPort] = [number("src_port"), number("dest_port")];
  const hasPorts = fromPort !== undefined && toPort !== undefined;
  const isReply = cut === "cut-reply";
  const [type, code] = ["type", "code"].map((key) => number(`icmp.${key}`) ?? number(`icmpv6.${key}`));
  // Packets that the node itself sends have no time of arrival.
  const seconds = number("oob.time.sec");
  const time =
    seconds === undefined ? new Date() : new Date(seconds * 1000 + (number("oob.time.usec") ?? 0) / 1000);
  return {
    time,
    id,
    cut: cut !== undefined,
    ...turned(isReply, from, to),
    ...(number("oob.hook") === inputHook ? { ownEnd: isReply ? "source" : "destination" } : {}),
    protocol: protocolName(protocol),
    ...(hasPorts ? { ports: turned(isReply, fromPort, toPort) } : {}),
    ...(type === undefined || code === undefined ? {} : { icmp: { type, code } }),
  };
}

function turned<T>(isReply: boolean, from: T, to: T): { readonly source: T; readonly destination: T } {
  return isReply ? { source: to, destination: from } : { source: from, destination: to };
}
