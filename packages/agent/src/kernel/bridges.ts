import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, failed, type Outcome } from "./outcome.js";

/**
 * Packets between two pods on one bridge pass our rules only where the kernel hands bridged packets to them. Answers with
 * the settings that were changed. `root`: of the file system, for tests.
 */
export function callRulesForBridges(root = "/"): Outcome<readonly string[]> {
  const interfaces = join(root, "sys/class/net");
  const bridge = readdirSync(interfaces).find((name) => existsSync(join(interfaces, name, "bridge")));
  if (bridge === undefined) return done([]);
  const changed: string[] = [];
  for (const name of ["bridge-nf-call-iptables", "bridge-nf-call-ip6tables"]) {
    const file = join(root, "proc/sys/net/bridge", name);
    try {
      if (readFileSync(file, "utf8").trim() === "1") continue;
      writeFileSync(file, "1\n");
      changed.push(`net.bridge.${name}`);
    } catch (error) {
      return failed(
        `packets between pods on the bridge \`${bridge}\` would not be judged: net.bridge.${name} cannot be set to 1 (${String(error)}); load the module br_netfilter and set it on the node`,
      );
    }
  }
  return done(changed);
}
