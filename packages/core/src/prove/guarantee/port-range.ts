import type { PortMatch } from "../../policy/model.js";

/** `443/TCP`, `8000-8999/TCP`, `53` for TCP, `ICMP`: what it matches; undefined where it is none of these. */
export function parsePortRange(text: string): readonly PortMatch[] | undefined {
  if (text === "ICMP")
    return [
      { kind: "icmp", family: 4, type: 0 },
      { kind: "icmp", family: 6, type: 0 },
    ];
  const [, from, to = from, protocol = "TCP"] =
    /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(TCP|UDP|SCTP))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === undefined || first < 1 || last > 65535 || last < first) return undefined;
  return [{ kind: "range", protocol: protocol as "TCP" | "UDP" | "SCTP", first, last }];
}
