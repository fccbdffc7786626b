import type { PlainPort } from "../rules/rule-reach.js";

/** Packets in the direction in which the connection was opened, or replies. */
export type Orientation = "original" | "reply";

/** The ICMP type of the reply to a query; other types have no replies. */
const icmpReply: ReadonlyMap<number, number> = new Map([
  [8, 0],
  [13, 14],
  [15, 16],
  [17, 18],
  [128, 129],
  [139, 140],
]);

/** The nft expressions that match these ports; an empty one for every port. */
export function portMatches(
  ports: "every" | readonly PlainPort[],
  orientation: Orientation,
): readonly string[] {
  if (ports === "every") return [""];
  return [...new Set(ports.flatMap((port) => portMatch(port, orientation)))];
}

function portMatch(port: PlainPort, orientation: Orientation): readonly string[] {
  if (port.kind === "range") {
    const numbers = port.first === port.last ? `${port.first}` : `${port.first}-${port.last}`;
    return [`${port.protocol.toLowerCase()} ${orientation === "original" ? "dport" : "sport"} ${numbers} `];
  }
  // S7.11: type 0 is every type.
  if (port.type === 0) return [`meta l4proto ${port.family === 4 ? 1 : 58} `];
  const type = orientation === "original" ? port.type : icmpReply.get(port.type);
  return type === undefined ? [] : [`${port.family === 4 ? "icmp" : "icmpv6"} type ${type} `];
}

/** The ports that no earlier line decides. Lines for the others would be unreachable, and only make chains differ. */
export function openPorts(
  ports: "every" | readonly PlainPort[],
  decided: readonly PlainPort[],
): "every" | readonly PlainPort[] {
  if (ports === "every" || decided.length === 0) return ports;
  return ports.filter((port) => !decided.some((other) => covers(other, port)));
}

function covers(outer: PlainPort, inner: PlainPort): boolean {
  if (outer.kind === "range")
    return (
      inner.kind === "range" &&
      outer.protocol === inner.protocol &&
      outer.first <= inner.first &&
      outer.last >= inner.last
    );
  // S7.11: type 0 is every type.
  return (
    inner.kind === "icmp" && outer.family === inner.family && (outer.type === 0 || outer.type === inner.type)
  );
}
