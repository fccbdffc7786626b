import type { Endpoint, Flow } from "@tierwall/core/model";
import { type Address, formatAddress } from "../../../packages/core/src/net/address.js";
import { contains, parseCidr } from "../../../packages/core/src/net/cidr.js";
import type { LabPlan, LabPod } from "./plan.js";
import type { Packet } from "./prober.js";
import type { LabBackend } from "./services.js";

/** A connection as packets, or why there are none of it. */
export type Sendable =
  | { readonly kind: "packet"; readonly packet: Packet }
  | { readonly kind: "impossible"; readonly why: string };

interface Place {
  readonly space: string;
  readonly address: Address;
  readonly pod?: LabPod;
}

/** No endpoint has such an address, or it is not routed. */
const unroutable = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "224.0.0.0/3",
  "::/128",
  "::1/128",
  "::ffff:0:0/96",
  "fe80::/10",
  "ff00::/8",
].flatMap((text) => parseCidr(text) ?? []);

/**
 * By the address of the destination itself; by an alias of it, which is rewritten as a Service is; or by the address of
 * a Service of which it is a backend.
 */
export type Road = "direct" | "alias" | LabBackend;

export function packetOf(plan: LabPlan, flow: Flow, road: Road): Sendable {
  const { source, destination, protocol, port, family } = flow;
  if (family === undefined)
    return impossible("neither endpoint has an address that determines the address family");
  const from = placeOf(plan, source, family);
  const to = placeOf(plan, destination, family);
  if (typeof from === "string") return impossible(from);
  if (typeof to === "string") return impossible(to);
  if (source.kind === "external" && destination.kind === "external")
    return impossible("source and destination are external, and no node is on the way");
  if (protocol !== "ICMP" && port === 0) return impossible("port 0 is none");
  const samePod = from.pod !== undefined && from.pod === to.pod;
  if (road === "direct" && samePod && flow.toItself !== true)
    return impossible("a pod reaches itself by another way only through a Service");
  if (road !== "direct" && flow.toItself === true)
    return impossible("a pod reaches its own address only directly");
  if (road !== "direct" && source.kind === "external")
    return impossible("the cluster does not determine which node rewrites an address for an external client");
  const target = targetBy(road, to);
  if (target === undefined) return impossible("only pods have an alias");
  const ends = { from: from.space, to: to.space, source: formatAddress(from.address) };
  return { kind: "packet", packet: { ...ends, protocol, port, servedPort: port, tos: 0, ...target } };
}

function targetBy(road: Road, { address, pod }: Place): (Partial<Packet> & { target: string }) | undefined {
  if (road === "direct") return { target: formatAddress(address) };
  if (road === "alias") return pod === undefined ? undefined : { target: pod.alias[address.family] };
  const own = road.service.addresses.find(({ family }) => family === address.family)!;
  // The number of the endpoint goes where DSCP is.
  return { target: formatAddress(own), port: road.servicePort.port, tos: road.number << 2 };
}

const impossible = (why: string): Sendable => ({ kind: "impossible", why });

/** Where an end is, or why it is nowhere. */
function placeOf(plan: LabPlan, end: Endpoint, family: Address["family"]): Place | string {
  const ofFamily = (addresses: readonly Address[]) => addresses.find((address) => address.family === family);
  switch (end.kind) {
    case "external": {
      if (unroutable.some((cidr) => contains(cidr, end.address)))
        return "the address is one that is never routed";
      if (plan.taken.has(formatAddress(end.address))) return "the address is not outside";
      return { space: plan.outside.space, address: end.address };
    }
    case "node":
      return onNode(
        plan,
        end.node.name,
        ofFamily(end.address === undefined ? end.node.addresses : [end.address]),
      );
    case "pod": {
      const { pod } = end;
      if (pod.hostNetwork) return onNode(plan, pod.node, ofFamily(pod.addresses));
      const found = plan.pods.find((other) => other.key === `${pod.namespace}/${pod.name}`);
      const address = ofFamily(pod.addresses);
      if (found === undefined) return "the pod is not in the lab";
      return address === undefined
        ? `a pod without an IPv${family} address`
        : { space: found.space, address, pod: found };
    }
  }
}

function onNode(plan: LabPlan, name: string | undefined, address: Address | undefined): Place | string {
  const node = plan.nodes.find((other) => other.name === name);
  if (node === undefined) return "the node is not in the lab";
  return address === undefined ? "a node without an address of that family" : { space: node.space, address };
}
