import type { MatrixCell, PortGroup, Result } from "@tierwall/core";
import { parsePort, type PortRef } from "@tierwall/core/analysis";

/** The port of a question; undefined for all of them. */
export type AskedPort = Exclude<PortRef, { kind: "named" }>;

/** Names are refused: they may be another number for each pod. */
export function readPort(text: string): Result<AskedPort | undefined> {
  if (text.trim() === "") return { ok: true, value: undefined };
  const parsed = parsePort(text.trim());
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (value.kind !== "named") return { ok: true, value };
  const message = `\`${value.name}\` may be another number for each pod; write the number, as in \`80/TCP\``;
  return { ok: false, diagnostic: { code: "TW1503", severity: "error", message } };
}

/** The ports that a question is about. */
export function askedOf(groups: readonly PortGroup[], port: AskedPort | undefined): readonly PortGroup[] {
  if (port === undefined || port.kind === "all") return groups;
  return groups.some((group) => holds(group, port)) ? [groupOf(port)] : [];
}

/** What a cell says of a port alone. */
export function cellAt(cell: MatrixCell, port: AskedPort | undefined): MatrixCell {
  if (port === undefined) return cell;
  return {
    allowed: askedOf(cell.allowed, port),
    wholly: askedOf(cell.wholly, port),
    partly: askedOf(cell.partly, port),
    undecided: askedOf(cell.undecided, port),
  };
}

export function holds(group: PortGroup, port: AskedPort): boolean {
  if (group.protocol === "any") return true;
  if (port.kind === "icmp") return group.protocol === "ICMP";
  if (port.kind !== "number" || group.protocol !== port.protocol) return false;
  return group.ranges.some(([first, last]) => first <= port.port && port.port <= last);
}

function groupOf(port: Exclude<AskedPort, { kind: "all" }>): PortGroup {
  return port.kind === "icmp"
    ? { protocol: "ICMP" }
    : { protocol: port.protocol, ranges: [[port.port, port.port]] };
}
