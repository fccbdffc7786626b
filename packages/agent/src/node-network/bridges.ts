import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, bitsOf, type Cidr, contains, type Family, formatAddress } from "@tierwall/core/model";
import { done, failed, type Outcome } from "../kernel/outcome.js";

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

/** A route of the kernel's main table: addresses in the block are reached through the device. */
interface Route {
  readonly to: Cidr;
  readonly device: string;
}

/** Routes of the network namespace of this process. `root`: of the file system, for tests. */
export class Routes {
  private readonly routes: Readonly<Record<Family, readonly Route[]>>;

  constructor(root = "/") {
    this.routes = {
      4: linesOf(root, "proc/net/route").flatMap(routeOf4).filter(isNoDefault),
      6: linesOf(root, "proc/net/ipv6_route").flatMap(routeOf6).filter(isNoDefault),
    };
  }

  /** The devices of the most specific routes to an address; default routes do not count. */
  devicesOf(address: Address): readonly string[] {
    const around = this.routes[address.family].filter(({ to }) => contains(to, address));
    const longest = Math.max(...around.map(({ to }) => to.prefix));
    return [...new Set(around.flatMap(({ to, device }) => (to.prefix === longest ? [device] : [])))];
  }

  /** The devices of such routes to addresses of a block. */
  devicesTo(block: Cidr): readonly string[] {
    const { family, first } = block;
    const inside = this.routes[family].filter(({ to }) => contains(block, { family, value: to.first }));
    const around = this.devicesOf({ family, value: first });
    return [...new Set([...around, ...inside.map(({ device }) => device)])];
  }
}

/** `cni0	0001F40A	00000000	0001	0	0	0	00FFFFFF	0	0	0`: addresses in little-endian byte order. */
function routeOf4(line: string): readonly Route[] {
  const [device, to, , flags, , , , mask] = line.trim().split(/\s+/);
  if (device === undefined || to === undefined || mask === undefined || !/^[0-9A-F]{8}$/.test(to)) return [];
  if (!isUp(flags)) return [];
  const prefix = Number.parseInt(mask, 16).toString(2).replaceAll("0", "").length;
  return [{ to: { family: 4, first: BigInt(`0x${reversed(to)}`), prefix }, device }];
}

/** `fd00…0000 40 0000…0000 00 0000…0000 00000100 00000001 00000000 00000001     cni0` */
function routeOf6(line: string): readonly Route[] {
  const fields = line.trim().split(/\s+/);
  const [to, prefix, , , , , , , flags, device] = fields;
  if (device === undefined || !/^[0-9a-f]{32}$/.test(to!) || !isUp(flags)) return [];
  const length = Number.parseInt(prefix!, 16);
  return length > bitsOf(6) ? [] : [{ to: { family: 6, first: BigInt(`0x${to}`), prefix: length }, device }];
}

/** RTF_UP, and not RTF_REJECT. */
function isUp(flags: string | undefined): boolean {
  const bits = Number.parseInt(flags ?? "0", 16);
  return (bits & 0x1) !== 0 && (bits & 0x200) === 0;
}

const isNoDefault = ({ to }: Route): boolean => to.prefix > 0;

const reversed = (hex: string): string => hex.match(/../g)!.toReversed().join("");

/** The lines of a file of the kernel; none if there is no such file. */
export function linesOf(root: string, file: string): readonly string[] {
  try {
    return readFileSync(join(root, file), "utf8").split("\n");
  } catch {
    return [];
  }
}
