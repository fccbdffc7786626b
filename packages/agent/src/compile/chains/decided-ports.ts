import type { PlainPort } from "../rules/rule-reach.js";

/** Ports that lines further up have decided about: what comes after them is never reached, and would only make chains differ. */
export class DecidedPorts {
  private readonly decided: PlainPort[] = [];

  /** Those of them that are still open. */
  open(ports: "every" | readonly PlainPort[]): "every" | readonly PlainPort[] {
    if (ports === "every" || this.decided.length === 0) return ports;
    return ports.filter((port) => !this.decided.some((other) => covers(other, port)));
  }

  add(ports: "every" | readonly PlainPort[]): void {
    if (ports !== "every") this.decided.push(...ports);
  }
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
