import type { Pod } from "../../cluster/model.js";
import { canTalk, type EndClass, endpointsOf, type Engine } from "../../engine/index.js";
import type { Flow, PodEndpoint } from "../../evaluate/flow.js";
import type { Decider } from "../../evaluate/walk.js";
import type { Direction } from "../../policy/model.js";
import { flowBetween } from "../endpoints/example-flow.js";
import { type DnsServer, dnsServersOf } from "./dns-servers.js";

/** Pods that reach no DNS server by a protocol, and who keeps them from it. */
export interface DnsDenial {
  readonly pods: readonly PodEndpoint[];
  readonly by: Decider;
  readonly direction: Direction;
  /** One of the queries that are denied. */
  readonly flow: Flow;
}

/** By what denies it: exactly those pods whose every query is denied, except those that are left out. */
export function dnsDenials(
  engine: Engine,
  protocol: DnsServer["protocol"],
  except: ReadonlySet<Pod> = new Set(),
): readonly DnsDenial[] {
  const servers = dnsServersOf(engine.cluster).filter((server) => server.protocol === protocol);
  if (servers.length === 0) return [];
  // A server is not asked by itself, nor by the others of its kind.
  const leftOut = new Set([...except, ...servers.map(({ pod }) => pod.pod)]);
  const found = new Map<unknown, DnsDenial & { readonly pods: PodEndpoint[] }>();
  for (const index of engine.ends.podClasses) {
    const end = engine.ends.classes[index]!;
    const pods = [...endpointsOf(engine.cluster, end)].filter(
      (member): member is PodEndpoint => member.kind === "pod" && !leftOut.has(member.pod),
    );
    const flow = pods[0] && deniedQuery(engine, end, pods[0], servers);
    if (flow === undefined) continue;
    const { egress, ingress } = engine.explain(flow);
    const direction = egress.verdict === "Deny" ? "egress" : "ingress";
    const [by] = direction === "egress" ? egress.deciders : ingress.deciders;
    if (by === undefined) continue;
    const key = keyOf(by, direction);
    const known = found.get(key);
    if (known === undefined) found.set(key, { pods, by, direction, flow });
    else known.pods.push(...pods);
  }
  return [...found.values()];
}

/** The first query of a pod of this class, if all of them are denied. */
function deniedQuery(
  engine: Engine,
  end: EndClass,
  source: PodEndpoint,
  servers: readonly DnsServer[],
): Flow | undefined {
  const queries = servers.flatMap(({ pod, protocol, port }) => {
    const families = engine.ends.classOf(pod)?.families ?? [];
    const spoken = ([4, 6, undefined] as const).filter((family) => canTalk(family, end.families, families));
    return spoken.map((family) => flowBetween(source, pod, { protocol, port }, family));
  });
  return queries.every((query) => engine.verdict(query) === "Deny") ? queries[0] : undefined;
}

function keyOf(by: Decider, direction: Direction): unknown {
  if (by.kind === "rule") return by.rule;
  if (by.kind !== "isolation") return by.kind;
  const names = by.isolation.map(({ origin }) =>
    origin.kind === "policy"
      ? `${origin.policy.kind} ${origin.policy.namespace ?? ""}/${origin.policy.name}`
      : origin.option,
  );
  return `${direction} ${names.join()}`;
}
