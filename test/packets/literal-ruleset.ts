import { formatAddress, parseAddress } from "../../packages/core/src/net/address.js";
import type { Asked } from "./comparison.js";
import type { Lab } from "./lab/lab.js";
import type { Road } from "./lab/packet.js";

/*
 * The most literal of rulesets: one line for each connection that must be denied. Real rulesets are not like this;
 * it shows that the lab measures correctly, independent of the compiler of rulesets.
 */
export async function enforceLiterally(lab: Lab, denied: readonly Asked[]): Promise<void> {
  const lines = denied.map(({ flow, packet, road }) => {
    const family = packet.source.includes(":") ? "ip6" : "ip";
    const target = realTarget(lab, packet.target, road);
    const protocol =
      flow.protocol === "ICMP" ? (family === "ip" ? "icmp" : "icmpv6") : flow.protocol.toLowerCase();
    const what = flow.protocol === "ICMP" ? "type echo-request" : `dport ${flow.port}`;
    return `${family} saddr ${packet.source} ${family} daddr ${target} ${protocol} ${what} drop`;
  });
  const chains = ["forward", "input", "output"].map(
    (hook) =>
      `chain ${hook} { type filter hook ${hook} priority 0\n ct state established,related accept\n ${lines.join("\n ")}\n}`,
  );
  const text = `table inet literal\ndelete table inet literal\ntable inet literal {\n${chains.join("\n")}\n}\n`;
  await Promise.all(lab.plan.nodes.map(({ name }) => lab.load(name, text)));
  await lab.forgetConnections();
}

/** The destination after an alias or a Service address was rewritten. */
function realTarget({ plan }: Lab, target: string, road: Road): string {
  if (typeof road === "object") return formatAddress(road.address);
  const { family } = parseAddress(target)!;
  const behind = plan.pods.find(({ alias }) => alias[family] === target);
  const own = behind?.pod.addresses.find((address) => address.family === family);
  return own === undefined ? target : formatAddress(own);
}
