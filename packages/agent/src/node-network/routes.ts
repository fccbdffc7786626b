import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, bitsOf, type Cidr, contains, type Family } from "@tierwall/core/model";

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
