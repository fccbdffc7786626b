import type { Cluster } from "../../cluster/model.js";
import { ok, type Result, refused } from "../../diagnostics/result.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { realPorts } from "../../engine/index.js";
import { formatMatch, type LabelMatch, selects } from "../../labels/requirement.js";
import type { PortRef } from "../endpoints/endpoint-ref.js";
import type { Grain } from "../endpoints/party.js";
import type { UndecidedPorts } from "./cells.js";
import {
  everyEndpoint,
  both,
  type EndpointFilter,
  either,
  parseEndpointFilter,
  parseNamespace,
  podsThat,
} from "./endpoint-filter.js";

export interface MatrixQuestion {
  readonly by: Grain;
  /** Only connections from and to these; empty is all. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Only connections with an end in one of these namespaces, and with these labels; empty is all. */
  readonly namespaces: readonly string[];
  readonly labels: LabelMatch;
  /** Only these ports; empty is all. */
  readonly ports: readonly PortRef[];
  readonly undecided: UndecidedPorts;
}

/** Connections between these ends and those. */
export interface Filters {
  readonly from: EndpointFilter;
  readonly to: EndpointFilter;
}

/** All that is asked for is in at least one of them. */
export function filtersOf(cluster: Cluster, question: MatrixQuestion): Result<readonly Filters[]> {
  const from = anyOf(question.from, (text) => parseEndpointFilter(cluster, text));
  if (!from.ok) return from;
  const to = anyOf(question.to, (text) => parseEndpointFilter(cluster, text));
  if (!to.ok) return to;
  const namespaces = anyOf(question.namespaces, (name) => parseNamespace(cluster, name));
  if (!namespaces.ok) return namespaces;
  const sides = { from: from.value, to: to.value };
  if (question.namespaces.length === 0 && question.labels.length === 0) return ok([sides]);
  const labelled = podsThat((pod) => selects(question.labels, pod.labels));
  const focus = both(labelled, namespaces.value);
  if (![...cluster.pods.values()].some(focus.pod)) return refused("TW1502", noPodsText(question));
  return ok([
    { from: both(sides.from, focus), to: sides.to },
    { from: sides.from, to: both(sides.to, focus) },
  ]);
}

function noPodsText({ namespaces, labels }: MatrixQuestion): string {
  const where =
    namespaces.length === 0 ? "" : ` in ${namespaces.map((name) => `namespace \`${name}\``).join(" or ")}`;
  return `there is no pod${where}${labels.length === 0 ? "" : ` with \`${formatMatch(labels)}\``}`;
}

function anyOf(
  texts: readonly string[],
  parse: (text: string) => Result<EndpointFilter>,
): Result<EndpointFilter> {
  const filters: EndpointFilter[] = [];
  for (const text of texts) {
    const parsed = parse(text);
    if (!parsed.ok) return parsed;
    filters.push(parsed.value);
  }
  return ok(filters.length === 0 ? everyEndpoint : either(filters));
}

/** As one set. */
export function askedPorts(ports: PortSets, asked: readonly PortRef[]): Result<PortSetId> {
  const real = realPorts(ports);
  if (asked.length === 0) return ok(real);
  let all = noPorts;
  for (const port of asked) {
    if (port.kind === "named")
      return refused(
        "TW1503",
        `\`${port.name}\` may be another number for each pod; write the number, as in \`80/TCP\``,
      );
    all = ports.union(all, portsOf(ports, real, port));
  }
  return ok(all);
}

function portsOf(ports: PortSets, real: PortSetId, port: Exclude<PortRef, { kind: "named" }>): PortSetId {
  switch (port.kind) {
    case "number":
      return ports.range(port.protocol, port.port, port.port);
    case "icmp":
      return ports.range("ICMP", 0, 0);
    case "all":
      return port.protocol === undefined ? real : ports.range(port.protocol, 1, 65535);
  }
}
