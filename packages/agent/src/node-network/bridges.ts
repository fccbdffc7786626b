import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Address, Cidr } from "@tierwall/core";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import { Routes } from "./routes.js";

/** Where pods of this node are: their addresses, as far as they are known, and the ranges they get them from. */
export interface PodPlaces {
  readonly addresses: readonly Address[];
  readonly ranges: readonly Cidr[];
}

export const nowhere: PodPlaces = { addresses: [], ranges: [] };

interface BridgeCheck {
  /** Settings of the kernel that were changed. */
  readonly changed: readonly string[];
  /** Why packets on other bridges are not judged, where they are not; no pod is known behind these. */
  readonly warning?: string;
}

const settings = ["bridge-nf-call-iptables", "bridge-nf-call-ip6tables"] as const;

/**
 * Packets between two pods on one bridge pass our rules only where the kernel hands bridged packets to them. A bridge that is the
 * way to pods of this node must do so; others, for containers outside of the cluster or for virtual machines, are not our
 * concern. `root`: of the file system, for tests.
 */
export function callRulesForBridges(pods: PodPlaces = nowhere, root = "/"): Outcome<BridgeCheck> {
  const interfaces = join(root, "sys/class/net");
  const bridges = readdirSync(interfaces).filter((name) => existsSync(join(interfaces, name, "bridge")));
  if (bridges.length === 0) return done({ changed: [] });
  const leading = devicesTo(pods, new Routes(root));
  const ofPods = bridges.find((bridge) => leading.has(bridge));
  const changed: string[] = [];
  for (const name of settings) {
    const file = join(root, "proc/sys/net/bridge", name);
    try {
      if (readFileSync(file, "utf8").trim() === "1") continue;
      writeFileSync(file, "1\n");
      changed.push(`net.bridge.${name}`);
    } catch (error) {
      if (ofPods === undefined) return done({ changed, warning: warningAbout(bridges, name) });
      return failed(
        `packets between pods on the bridge \`${ofPods}\` would not be judged: net.bridge.${name} cannot be set to 1 (${String(error)}); load the module br_netfilter and set it on the node`,
      );
    }
  }
  return done({ changed });
}

function devicesTo({ addresses, ranges }: PodPlaces, routes: Routes): ReadonlySet<string> {
  return new Set([
    ...addresses.flatMap((address) => routes.deviceTo(address) ?? []),
    ...ranges.flatMap((range) => routes.devicesTo(range)),
  ]);
}

const warningAbout = (bridges: readonly string[], setting: string): string =>
  `packets between two ports of one bridge (${bridges.join(", ")}) are not judged, because net.bridge.${setting} cannot be set to 1: ` +
  "no pod of this node is known behind it; if pods are, load the module br_netfilter on the node, or their policies are not enforced among them";

/** Looks at the bridges of a node whenever its rules change, with what is known of its pods by then. */
export class BridgeWatch {
  pods: PodPlaces;
  warning: string | undefined;

  constructor(ranges: readonly Cidr[]) {
    this.pods = { addresses: [], ranges };
  }

  /** Answers with the settings that were changed. */
  readonly check = (): Outcome<readonly string[]> => {
    const checked = callRulesForBridges(this.pods);
    this.warning = checked.ok ? checked.value.warning : undefined;
    return checked.ok ? done(checked.value.changed) : checked;
  };
}
