import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, type Cidr, formatAddress } from "@tierwall/core/model";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import { Routes } from "./routes.js";

/** Where pods of this node are: their known addresses, and the ranges from which they get them. */
export interface PodPlaces {
  readonly addresses: readonly Address[];
  readonly ranges: readonly Cidr[];
}

export const nowhere: PodPlaces = { addresses: [], ranges: [] };

interface BridgeCheck {
  /** The settings of the kernel that were changed. */
  readonly changed: readonly string[];
  /** Why packets on other bridges bypass the rules, if they do. No known pod is behind these. */
  readonly warning?: string;
}

const settings = ["bridge-nf-call-iptables", "bridge-nf-call-ip6tables"] as const;

/**
 * Packets between two pods on one bridge pass the rules only if the kernel is configured for it. Bridges for containers outside of
 * the cluster, or for virtual machines, do not need that. A bridge counts as one of these only if every pod of this node has
 * its own route through a device that is not a bridge. `root`: of the file system, for tests.
 */
export function callRulesForBridges(pods: PodPlaces = nowhere, root = "/"): Outcome<BridgeCheck> {
  const devices = new Devices(root);
  const { bridges } = devices;
  if (bridges.length === 0) return done({ changed: [] });
  const doubt = doubtAbout(pods, devices, new Routes(root));
  const changed: string[] = [];
  for (const name of settings) {
    const file = join(root, "proc/sys/net/bridge", name);
    try {
      if (readFileSync(file, "utf8").trim() === "1") continue;
      writeFileSync(file, "1\n");
      changed.push(`net.bridge.${name}`);
    } catch (error) {
      if (doubt === undefined) return done({ changed, warning: warningAbout(bridges, name) });
      return failed(
        `${doubt}: cannot set net.bridge.${name} to 1 (${String(error)}); load the module br_netfilter and set it on the node`,
      );
    }
  }
  return done({ changed });
}

/** Devices of the network namespace of this process. */
class Devices {
  readonly bridges: readonly string[];
  private readonly folder: string;

  constructor(root: string) {
    this.folder = join(root, "sys/class/net");
    this.bridges = readdirSync(this.folder).filter((name) => existsSync(join(this.folder, name, "bridge")));
  }

  /** Whether it is a bridge, a port of one, or stacked on one, as a VLAN is. */
  belongsToBridge(name: string): boolean {
    const own = join(this.folder, name);
    if (this.bridges.includes(name) || existsSync(join(own, "brport"))) return true;
    const entries = existsSync(own) ? readdirSync(own) : [];
    return entries.some((entry) => entry.startsWith("lower_") && this.belongsToBridge(entry.slice(6)));
  }
}

/** Why pods of this node may be on a bridge; undefined if none is. */
function doubtAbout({ addresses, ranges }: PodPlaces, devices: Devices, routes: Routes): string | undefined {
  const leading = [
    ...addresses.flatMap((address) => routes.devicesOf(address)),
    ...ranges.flatMap((range) => routes.devicesTo(range)),
  ];
  const found = leading.find((name) => devices.belongsToBridge(name));
  if (found !== undefined) {
    const where = devices.bridges.includes(found) ? `the bridge \`${found}\`` : `the bridge of \`${found}\``;
    return `packets between pods on ${where} would bypass the rules`;
  }
  const lost = addresses.find((address) => routes.devicesOf(address).length === 0);
  if (lost === undefined) return undefined;
  return `packets between pods on a bridge (${devices.bridges.join(", ")}) would bypass the rules, and no route shows that the pod at ${formatAddress(lost)} is not on one`;
}

const warningAbout = (bridges: readonly string[], setting: string): string =>
  `packets between two ports of one bridge (${bridges.join(", ")}) bypass the rules, because net.bridge.${setting} cannot be set to 1: ` +
  "no known pod of this node is on it; if there are pods on it, load the module br_netfilter on the node, or policies between them are not enforced";

/** Checks the bridges of a node whenever its rules change, with the pods that are known by then. */
export class BridgeWatch {
  pods: PodPlaces;
  warning: string | undefined;

  constructor(ranges: readonly Cidr[]) {
    this.pods = { addresses: [], ranges };
  }

  /** Returns the settings that were changed. */
  readonly check = (): Outcome<readonly string[]> => {
    const checked = callRulesForBridges(this.pods);
    this.warning = checked.ok ? checked.value.warning : undefined;
    return checked.ok ? done(checked.value.changed) : checked;
  };
}
