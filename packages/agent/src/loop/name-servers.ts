import { type Address, formatAddress, type Inventory } from "@tierwall/core/model";
import type { SocketAddress } from "../dns/redirect.js";

/** The servers whose answers are trusted (S8.4): the configured ones, otherwise the DNS Service of the cluster. */
export function nameServers(cluster: Inventory, configured: readonly Address[]): readonly SocketAddress[] {
  const addresses = configured.length > 0 ? configured : clusterDns(cluster);
  return [...new Set(addresses.map(formatAddress))].toSorted().map((address) => ({ address, port: 53 }));
}

function clusterDns({ services }: Inventory): readonly Address[] {
  const service = services.find(({ namespace, name }) => namespace === "kube-system" && name === "kube-dns");
  if (service === undefined) return [];
  return [...service.addresses, ...(service.endpoints ?? []).map(({ address }) => address)];
}
