import { namedEndpoints } from "@tierwall/core/analysis";
import { type ContainerPort, exampleOf, type LabelMatch, type Pod } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";

/** The endpoints that a first test asks about, as a ConnectivityTest names them. */
export interface TestEndpoints {
  readonly sources: readonly string[];
  /** With their ports. */
  readonly targets: readonly string[];
}

/** An address of a range for documentation (RFC 5737): any address outside the cluster. */
export const externalAddress = "203.0.113.7";

/** The metadata API of cloud providers, which pods rarely need. */
const metadataApi = "169.254.169.254:80/TCP";

const mostSources = 40;
const mostTargets = 60;
const portsPerTarget = 2;

/** Workloads and pods, or, where the input has policies alone, new pods that these select. */
export function testEndpoints(state: State): TestEndpoints {
  const pods = podsByName(state);
  const sources = pods.size > 0 ? [...pods.keys()] : newPods(state);
  if (sources.length === 0) return { sources: [], targets: [] };
  const inTurn = byNamespaceInTurn(sources);
  const targets = inTurn.flatMap((name) => portsOf(pods.get(name)).map((port) => `${name}:${port}`));
  return {
    sources: [...inTurn.slice(0, mostSources), externalAddress],
    targets: [...targets.slice(0, mostTargets), `${externalAddress}:443/TCP`, metadataApi],
  };
}

/** One pod for each workload, and pods without one. Host-network pods have no policies of their own (S1.4). */
function podsByName({ cluster }: State): ReadonlyMap<string, Pod> {
  const workloads = new Map<string, Pod>(
    cluster.workloads.flatMap((workload) => {
      const { namespace, kind, name, pods } = workload;
      const [first] = pods;
      return first === undefined
        ? []
        : [[`${namespace}/${name}`, first] as const, [`${namespace}/${kind}/${name}`, first] as const];
    }),
  );
  const found = new Map<string, Pod>();
  for (const { text } of namedEndpoints(cluster, "source")) {
    const pod = cluster.pods.get(text) ?? workloads.get(text);
    if (pod !== undefined && !pod.hostNetwork) found.set(text, pod);
  }
  return found;
}

const portText = ({ port, protocol }: ContainerPort): string => `${port}/${protocol}`;

function portsOf(pod: Pod | undefined): readonly string[] {
  const declared = [...new Set((pod?.ports ?? []).map(portText))];
  return declared.length === 0 ? ["80/TCP"] : declared.slice(0, portsPerTarget);
}

/** `new:team=a/app=web` for each selection of pods in the policies. */
function newPods({ tiers }: State): readonly string[] {
  const all = [...tiers.ingress, ...tiers.egress];
  const selections = all.flatMap(({ rules, isolation }) => [
    ...[...rules, ...isolation].map(({ subject }) => subject),
    ...rules.flatMap(({ peers }) =>
      peers.flatMap((peer) =>
        peer.kind === "pods" && peer.namespaces.kind === "selector" && peer.pods.kind === "selector"
          ? [{ namespaces: peer.namespaces.match, pods: peer.pods.match }]
          : [],
      ),
    ),
  ]);
  const texts = selections.flatMap(({ namespaces, pods }) => {
    const labels = [labelsText(namespaces), labelsText(pods)];
    return labels.includes(undefined) ? [] : [`new:${labels.join("/")}`];
  });
  return [...new Set(texts)];
}

function labelsText(match: LabelMatch): string | undefined {
  const labels = exampleOf(match);
  return (
    labels &&
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(",")
  );
}

/** The first of each namespace, then the second of each: what is left out later are more of the same. System namespaces come last. */
function byNamespaceInTurn(names: readonly string[]): readonly string[] {
  const ranks = new Map<string, number>();
  const ranked = names.map((name) => {
    const [namespace] = name.split("/") as [string];
    const rank = ranks.get(namespace) ?? 0;
    ranks.set(namespace, rank + 1);
    return { name, rank, isSystem: namespace.startsWith("kube-") };
  });
  return ranked
    .toSorted((a, b) => Number(a.isSystem) - Number(b.isSystem) || a.rank - b.rank)
    .map(({ name }) => name);
}
