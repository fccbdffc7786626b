import type { Protocol, Rule } from "../../policy/model.js";

/** A port that a rule is about, to ask a question with; undefined where it names ports of pods only. */
export function samplePort({
  ports,
}: Pick<Rule, "ports">): { readonly protocol: Protocol; readonly port: number } | undefined {
  if (ports === "every") return { protocol: "TCP", port: 443 };
  for (const port of ports) {
    if (port.kind === "icmp") return { protocol: "ICMP", port: 0 };
    if (port.kind === "range") {
      const well = [443, 80].find((known) => known >= port.first && known <= port.last);
      return { protocol: port.protocol, port: well ?? port.first };
    }
  }
  return undefined;
}
