import type { Cluster, Node, Pod } from "../../cluster/model.js";
import { ok, type Result, refused } from "../../diagnostics/result.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { bitsOf, type Family } from "../../net/address.js";
import { globMatches } from "../../net/glob.js";
import { type Cidr, parseCidr, singleAddress } from "../../net/cidr.js";
import { intersect, type Region, regionOfCidrs } from "../../net/region.js";
import { parseEndpoint } from "../endpoints/endpoint-ref.js";
import { resolve } from "../endpoints/resolve.js";

/** Which ends take part on one side of the connections. */
export interface EndpointFilter {
  readonly pod: (pod: Pod) => boolean;
  readonly node: (node: Node) => boolean;
  /** External addresses. */
  readonly outside: (family: Family) => Region;
}

export const everyEndpoint: EndpointFilter = { pod: () => true, node: () => true, outside: wholeFamily };

/** Pods only, whichever of them. */
export function podsThat(pod: (pod: Pod) => boolean): EndpointFilter {
  return { pod, node: () => false, outside: nowhere };
}

export function either(filters: readonly EndpointFilter[]): EndpointFilter {
  return {
    pod: (pod) => filters.some((filter) => filter.pod(pod)),
    node: (node) => filters.some((filter) => filter.node(node)),
    outside: (family) => {
      const ranges = filters.flatMap((filter) => filter.outside(family).ranges);
      return { family, ranges: ranges.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) };
    },
  };
}

export function both(a: EndpointFilter, b: EndpointFilter): EndpointFilter {
  return {
    pod: (pod) => a.pod(pod) && b.pod(pod),
    node: (node) => a.node(node) && b.node(node),
    outside: (family) => intersect(a.outside(family), b.outside(family)),
  };
}

/**
 * The endpoints that a text names: what `tierwall explain` accepts, and sets: a namespace, a CIDR of external addresses, and
 * names that contain `*`.
 * A text that names nothing is refused, as it is probably misspelled.
 */
export function parseEndpointFilter(cluster: Cluster, text: string): Result<EndpointFilter> {
  const cidr = parseCidr(text);
  if (cidr !== undefined) return ok(outsideIn([cidr]));
  if (text.includes("*")) return parsePattern(cluster, text);
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text)) return parseNamespace(cluster, text);
  const ref = parseEndpoint(text);
  if (!ref.ok) return ref;
  if (ref.value.kind === "new")
    return refused(
      "TW1501",
      `\`${text}\` does not exist yet; ask about it with \`tierwall explain\`, or add it to the input`,
    );
  const found = resolve(cluster, ref.value, "destination", { kind: "all" });
  if (!found.ok) return found;
  const { endpoints, service, label } = found.value;
  if (service !== undefined) return refused("TW1501", `policies judge the pods behind ${label}; name these`);
  const ends = new Set<object>(
    endpoints.flatMap((end) => (end.kind === "pod" ? end.pod : end.kind === "node" ? end.node : [])),
  );
  const { outside } = outsideIn(
    endpoints.flatMap((end) => (end.kind === "external" ? singleAddress(end.address) : [])),
  );
  return ok({ pod: (pod) => ends.has(pod), node: (node) => ends.has(node), outside });
}

export function parseNamespace(cluster: Cluster, name: string): Result<EndpointFilter> {
  const matches = (text: string) => globMatches(name, text);
  const names = [...cluster.namespaces.keys()];
  if (!names.some(matches))
    return refused("TW1502", `there is no namespace \`${name}\`${didYouMean(name, names)}`);
  return ok(podsThat((pod) => matches(pod.namespace)));
}

/** `shop-*`, `shop/*`, `*-api`, `node:worker-*`; of pods and of workloads. */
function parsePattern(cluster: Cluster, text: string): Result<EndpointFilter> {
  const nothing = (what: string) => refused("TW1502", `there is no ${what} like \`${text}\``);
  const node = /^node:(.+)$/.exec(text)?.[1];
  if (node !== undefined) {
    const matches = (text: string) => globMatches(node, text);
    if (![...cluster.nodes.keys()].some(matches)) return nothing("node");
    return ok({ pod: () => false, node: ({ name }) => matches(name), outside: nowhere });
  }
  const [namespace, name, ...rest] = text.split("/");
  if (name === undefined) return parseNamespace(cluster, text);
  if (rest.length > 0)
    return refused("TW1501", `\`${text}\` is not a pattern; write \`NAMESPACE/NAME\` with \`*\` in it`);
  const inNamespace = (text: string) => globMatches(namespace!, text);
  const isNamed = (text: string) => globMatches(name, text);
  const pod = (one: Pod) =>
    inNamespace(one.namespace) && (isNamed(one.name) || isNamed(one.workload?.name ?? one.name));
  return [...cluster.pods.values()].some(pod) ? ok(podsThat(pod)) : nothing("pod or workload");
}

/** External addresses only. Pods and nodes go by their names, or by an address of theirs (S1.9). */
function outsideIn(cidrs: readonly Cidr[]): EndpointFilter {
  return { pod: () => false, node: () => false, outside: (family) => regionOfCidrs(family, cidrs) };
}

function wholeFamily(family: Family): Region {
  return { family, ranges: [[0n, (1n << BigInt(bitsOf(family))) - 1n]] };
}

function nowhere(family: Family): Region {
  return { family, ranges: [] };
}
