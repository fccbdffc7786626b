import { type Address, ask, type Cluster, type Endpoint, formatAddress, parseAddress } from "@tierwall/core";
import type { Situation } from "@tierwall/kube";

/** The servers whose answers are trusted (S8.4): those configured, or what Kubernetes gives its pods. */
export function nameServers(cluster: Cluster, configured: readonly Address[]): readonly string[] {
  if (configured.length > 0) return configured.map(formatAddress);
  const services = cluster.services.filter(
    ({ namespace, name }) => namespace === "kube-system" && name === "kube-dns",
  );
  const addresses = services.flatMap((service) => [
    ...service.addresses,
    ...(service.endpoints ?? []).map((endpoint) => endpoint.address),
  ]);
  return [...new Set(addresses.map(formatAddress))].toSorted();
}

export interface Upstream {
  readonly address: string;
  readonly port: number;
}

/** Where queries of pods may go, by the policies of one situation: the server itself, or the endpoints of a Service. */
export class Upstreams {
  readonly #known = new Map<string, readonly Upstream[]>();

  constructor(private readonly situation: Pick<Situation, "cluster" | "tiers">) {}

  /** Empty: the pod may not ask this server, or is not known. */
  of(pod: string, server: string, protocol: "TCP" | "UDP"): readonly Upstream[] {
    const key = `${pod} ${server} ${protocol}`;
    const found = this.#known.get(key) ?? this.#find(pod, server, protocol);
    this.#known.set(key, found);
    return found;
  }

  #find(pod: string, server: string, protocol: "TCP" | "UDP"): readonly Upstream[] {
    const [from, to] = [parseAddress(pod), parseAddress(server)];
    if (from === undefined || to === undefined) return [];
    const asked = ask(this.situation, {
      from: { kind: "address", address: from },
      to: { kind: "address", address: to },
      port: { kind: "number", port: 53, protocol },
    });
    if (!asked.ok) return [];
    return asked.value.answers
      .filter(({ flow, connection }) => connection.verdict === "Allow" && flow.source.kind === "pod")
      .flatMap(({ flow }) => {
        const address = addressOf(flow.destination, to);
        return address === undefined ? [] : [{ address: formatAddress(address), port: flow.port }];
      });
  }
}

/** In the family in which the pod asked. */
function addressOf(end: Endpoint, { family }: Address): Address | undefined {
  const addresses =
    end.kind === "external" ? [end.address] : end.kind === "pod" ? end.pod.addresses : end.node.addresses;
  return addresses.find((address) => address.family === family);
}
