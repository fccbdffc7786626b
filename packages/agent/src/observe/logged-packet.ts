import { isObject } from "@tierwall/core/manifest";
import { protocolName } from "../ruleset/vocabulary.js";
import { parsedJson } from "./parsed-json.js";

/** A packet that the kernel logged, as ulogd2's JSON output tells of it. */
export interface LoggedPacket {
  readonly time: Date;
  /** Of the rule that logged it, or the name of another counter. */
  readonly id: string;
  /** It belonged to a connection that was established, and that the rule no longer allows. */
  readonly cut: boolean;
  /** Of the connection: who opened it, and to whom, whichever of them the packet is from. */
  readonly source: string;
  readonly destination: string;
  /** S1.16: the end that is the node which logged it, whatever its address is: a packet of the input hook is to the node. */
  readonly ownEnd?: "source" | "destination";
  /** `TCP`, or the number where it is none that policies know. */
  readonly protocol: string;
  readonly ports?: { readonly source: number; readonly destination: number };
  readonly icmp?: { readonly type: number; readonly code: number };
}

/** `tw:ID`, `tw:ID:cut`, `tw:ID:cut-reply`. */
const prefixes = /^tw:([^:]+)(?::(cut|cut-reply))?$/;

/** NF_INET_LOCAL_IN of the kernel. */
const inputHook = 1;

/** Undefined for what is not of ours, or makes no sense. */
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
