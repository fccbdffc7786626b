import type { Inventory } from "@tierwall/core/model";
import type { Service, ServicePort } from "../../../packages/core/src/cluster/model.js";
import { backendsOf } from "../../../packages/core/src/cluster/service.js";
import { type Address, type Family, formatAddress } from "../../../packages/core/src/net/address.js";
import { hairpinSource, type LabNode, type LabPlan } from "./plan.js";

/*
 * What kube-proxy does on a node: addresses of Services are rewritten to an endpoint before rules are evaluated (S1.9). Which
 * endpoint is not random: the sender sets its number in the DSCP field.
 */

export interface LabBackend {
  readonly service: Service;
  readonly servicePort: ServicePort;
  readonly address: Address;
  readonly port: number;
  /** Its place among the endpoints of that port in that family. */
  readonly number: number;
}

/** As many endpoints as DSCP can distinguish. */
const mostBackends = 63;

export function backendsIn(cluster: Inventory): readonly LabBackend[] {
  return cluster.services.flatMap((service) =>
    service.headless || service.addresses.length === 0
      ? []
      : service.ports.flatMap((port) => backendsOfPort(cluster, service, port)),
  );
}

function backendsOfPort(
  cluster: Inventory,
  service: Service,
  servicePort: ServicePort,
): readonly LabBackend[] {
  const found = (backendsOf(cluster, service, servicePort) ?? []).flatMap(({ address, pod, port }) =>
    port === undefined
      ? []
      : (address === undefined ? (pod?.addresses ?? []) : [address]).map((address) => ({ address, port })),
  );
  const families = ([4, 6] as const).filter((family) =>
    service.addresses.some((own) => own.family === family),
  );
  return families.flatMap((family) =>
    found
      .filter(({ address }) => address.family === family)
      .slice(0, mostBackends)
      .map((backend, number) => ({ service, servicePort, number, ...backend })),
  );
}

/** The table of one node. */
export function servicesTable({ pods }: LabPlan, node: LabNode, backends: readonly LabBackend[]): string {
  const aliases = pods.flatMap(({ pod, alias }) =>
    pod.addresses.map((address) => `${ip(address.family)} daddr ${alias[address.family]} ${dnatTo(address)}`),
  );
  const services = backends.flatMap(({ service, servicePort, address, port, number }) =>
    service.addresses
      .filter(({ family }) => family === address.family)
      .map((own) => {
        const where = `${ip(own.family)} daddr ${formatAddress(own)} ${ip(own.family)} dscp ${number}`;
        return `${where} ${servicePort.protocol.toLowerCase()} dport ${servicePort.port} ${dnatTo(address, port)}`;
      }),
  );
  const hairpins = node.pods.flatMap(({ pod }) =>
    pod.addresses.map((address) => {
      const [own, family] = [formatAddress(address), address.family];
      const itself = `${ip(family)} saddr ${own} ${ip(family)} daddr ${own}`;
      return `ct status dnat ${itself} snat ${ip(family)} to ${hairpinSource[family]}`;
    }),
  );
  const rewrite = [...aliases, ...services];
  return `table inet lab-services {
  chain prerouting { type nat hook prerouting priority dstnat; ${rewrite.join("; ")}; }
  chain output { type nat hook output priority -100; ${rewrite.join("; ")}; }
  chain postrouting { type nat hook postrouting priority srcnat; ${hairpins.join("; ")}; }
}
`;
}

const ip = (family: Family): string => (family === 4 ? "ip" : "ip6");

function dnatTo(address: Address, port?: number): string {
  const host = formatAddress(address);
  if (port === undefined) return `dnat ${ip(address.family)} to ${host}`;
  return `dnat ${ip(address.family)} to ${address.family === 4 ? host : `[${host}]`}:${port}`;
}
