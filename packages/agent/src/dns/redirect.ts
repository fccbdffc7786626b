import type { Chain, NamedSet, Ruleset } from "../ruleset/ruleset.js";
import type { TimedElement } from "../ruleset/set-change.js";

/*
 *   pod ──query──► dns_in: to the proxy ──► input: admitted ──► proxy ──► dns_out: as the pod ──► DNS server
 *
 * Pods, servers and ports are elements with a timeout. The rules never change, so a restart of the agent writes nothing. If the
 * agent ends, queries are no longer redirected once the elements expire.
 */

export type DnsProtocol = "udp" | "tcp";

/** The ports of sockets that query as a pod, above the range from which Linux assigns ports. */
export const sourcePorts = { first: 61_000, last: 65_535 } as const;

/** Which (pod, server, protocol, port) is redirected to which address and port of the proxy. */
const redirectMap = { 4: "dns_redirect4", 6: "dns_redirect6" } as const;
/** Where the proxy listens: protocol, address, port. */
const proxySet = { 4: "dns_proxy4", 6: "dns_proxy6" } as const;
/** The pod as which the proxy queries from a socket: protocol, address, port. */
const sourceMap = { 4: "dns_source4", 6: "dns_source6" } as const;

export const dnsSets = { redirect: redirectMap, proxy: proxySet, source: sourceMap } as const;

/** What frame() adds to the table while rules with names apply to a pod of the node. */
interface DnsPart {
  readonly ruleset: Ruleset;
  /** The first lines of the chain `input`: the proxy accepts only redirected packets. */
  readonly input: readonly string[];
  /** The first lines of the chain `output`: queries that the proxy sends for a pod are judged as packets of the pod, not of the node. */
  readonly output: readonly string[];
}

export const dnsPart: DnsPart = {
  ruleset: {
    chains: new Map<string, Chain>(
      Object.entries({
        dns_in: {
          hook: "type nat hook prerouting priority -110; policy accept;",
          rules: [
            `dnat ip to ip saddr . ip daddr . meta l4proto . th dport map @${redirectMap[4]}`,
            `dnat ip6 to ip6 saddr . ip6 daddr . meta l4proto . th dport map @${redirectMap[6]}`,
          ],
        },
        dns_out: {
          hook: "type nat hook postrouting priority 90; policy accept;",
          rules: [
            `snat ip to meta l4proto . ip saddr . th sport map @${sourceMap[4]}`,
            `snat ip6 to meta l4proto . ip6 saddr . th sport map @${sourceMap[6]}`,
          ],
        },
      }),
    ),
    sets: new Map<string, NamedSet>([
      ...learned("map", redirectMap, (a) => `${a} . ${a} . inet_proto . inet_service : ${a} . inet_service`),
      ...learned("set", proxySet, (a) => `inet_proto . ${a} . inet_service`),
      ...learned("map", sourceMap, (a) => `inet_proto . ${a} . inet_service : ${a}`),
    ]),
    counters: new Set(),
  },
  input: [
    `meta l4proto . ip daddr . th dport @${proxySet[4]} ct status 0x20 goto stamp`,
    `meta l4proto . ip6 daddr . th dport @${proxySet[6]} ct status 0x20 goto stamp`,
    `meta l4proto . ip daddr . th dport @${proxySet[4]} drop`,
    `meta l4proto . ip6 daddr . th dport @${proxySet[6]} drop`,
  ],
  output: [
    `udp sport ${sourcePorts.first}-${sourcePorts.last} accept`,
    `tcp sport ${sourcePorts.first}-${sourcePorts.last} accept`,
  ],
};

export interface SocketAddress {
  readonly address: string;
  readonly port: number;
}

export function familyOf(address: string): 4 | 6 {
  return address.includes(":") ? 6 : 4;
}

export function redirectElement(
  pod: string,
  server: SocketAddress,
  protocol: DnsProtocol,
  proxy: SocketAddress,
  milliseconds: number,
): TimedElement {
  const key = `${pod} . ${server.address} . ${protocolNumber[protocol]} . ${server.port}`;
  return { key, value: `${proxy.address} . ${proxy.port}`, milliseconds };
}

export function proxyElement(
  protocol: DnsProtocol,
  proxy: SocketAddress,
  milliseconds: number,
): TimedElement {
  return { key: socketKey(protocol, proxy), milliseconds };
}

export function sourceElement(
  protocol: DnsProtocol,
  socket: SocketAddress,
  pod: string,
  milliseconds: number,
): TimedElement {
  return { key: socketKey(protocol, socket), value: pod, milliseconds };
}

function socketKey(protocol: DnsProtocol, { address, port }: SocketAddress): string {
  return `${protocolNumber[protocol]} . ${address} . ${port}`;
}

const protocolNumber = { tcp: 6, udp: 17 } as const;

function learned(
  kind: "map" | "set",
  names: { readonly 4: string; readonly 6: string },
  typeOf: (address: string) => string,
): readonly (readonly [string, NamedSet])[] {
  const of = (address: string): NamedSet => ({
    kind,
    type: typeOf(address),
    flags: ["timeout"],
    elements: "learned",
  });
  return [
    [names[4], of("ipv4_addr")],
    [names[6], of("ipv6_addr")],
  ];
}
