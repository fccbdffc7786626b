import { formatAddress, type Inventory, parseAddress, type Pod } from "@tierwall/core/model";
import type { HeldState } from "../held-state.js";
import { workloadRefs } from "./workload-ref.js";

export interface EndpointsRequest {
  /** What was typed so far. */
  readonly text: string;
  /** Services open no connections. */
  readonly role: "source" | "destination";
}

/** An endpoint to ask about; `value` is its name in the question. */
export interface Suggestion {
  readonly value: string;
  readonly kind: "workload" | "pod" | "service" | "node" | "address";
  /** `Deployment, 3 pods`. */
  readonly detail: string;
}

/** More than these are not offered: typing on is quicker. */
const mostSuggestions = 40;

export function answerEndpoints(
  { state: { cluster } }: HeldState,
  request: EndpointsRequest,
): readonly Suggestion[] {
  const wanted = request.text.trim().toLowerCase();
  const address = addressTyped(cluster, wanted);
  const found: { readonly suggestion: Suggestion; readonly rank: number }[] = [];
  for (const suggestion of allEndpoints(cluster, request.role)) {
    const rank = rankOf(suggestion.value.toLowerCase(), wanted);
    if (rank !== undefined) found.push({ suggestion, rank });
  }
  found.sort((a, b) => a.rank - b.rank);
  return [...address, ...found.map(({ suggestion }) => suggestion)].slice(0, mostSuggestions);
}

/** Workloads first: users think of pods by their workloads. */
function* allEndpoints(cluster: Inventory, role: EndpointsRequest["role"]): Iterable<Suggestion> {
  const refOf = workloadRefs(cluster);
  for (const workload of cluster.workloads) {
    const { kind, pods } = workload;
    const count = pods.some((pod) => pod.fromTemplate)
      ? ""
      : `, ${pods.length === 1 ? "1 pod" : `${pods.length} pods`}`;
    yield { value: refOf(workload), kind: "workload", detail: `${kind}${count}` };
  }
  if (role === "destination")
    for (const { namespace, name, ports } of cluster.services) {
      const listed = ports.map(({ port, protocol }) => `${port}/${protocol}`).join(", ");
      yield {
        value: `${namespace}/Service/${name}`,
        kind: "service",
        detail: `Service${listed && ` ${listed}`}`,
      };
    }
  for (const node of cluster.nodes.values()) {
    const [address] = node.addresses;
    const detail = address === undefined ? "Node" : `Node ${formatAddress(address)}`;
    yield { value: `node:${node.name}`, kind: "node", detail };
  }
  for (const [value, pod] of cluster.pods)
    if (pod.fromTemplate !== true) yield { value, kind: "pod", detail: podDetail(pod) };
}

function podDetail({ addresses, hostNetwork }: Pod): string {
  const [address] = addresses;
  return `Pod${address === undefined ? "" : ` ${formatAddress(address)}`}${hostNetwork ? ", host network" : ""}`;
}

function addressTyped(cluster: Inventory, text: string): readonly Suggestion[] {
  const address = parseAddress(text);
  if (address === undefined) return [];
  const value = formatAddress(address);
  const has = ({ addresses }: { readonly addresses: Pod["addresses"] }) =>
    addresses.some((own) => formatAddress(own) === value);
  const [podKey] = [...cluster.pods].find(([, pod]) => has(pod)) ?? [];
  const node = [...cluster.nodes.values()].find(has)?.name;
  const service = cluster.services.find(has);
  const who =
    podKey ??
    (node && `node ${node}`) ??
    (service && `Service ${service.namespace}/${service.name}`) ??
    "outside the cluster";
  return [{ value, kind: "address", detail: who }];
}

/** The beginning of a name first, then of a namespace, then anywhere; smaller is better. */
function rankOf(value: string, wanted: string): number | undefined {
  if (wanted === "" || value === wanted) return 0;
  const name = value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf(":")) + 1);
  if (name.startsWith(wanted)) return 1;
  if (value.startsWith(wanted)) return 2;
  if (value.includes(wanted)) return 3;
  // `shop cart` means the same as `shop/…cart`.
  const words = wanted.split(/[\s/]+/);
  return words.length > 1 && words.every((word) => value.includes(word)) ? 4 : undefined;
}
