import type { JsonValue } from "@tierwall/core";
import { formatAddress, type Inventory } from "@tierwall/core/model";
import { apiVersion } from "@tierwall/core/report";
import { problemResponse } from "../problem.js";
import { json, type Operation } from "./operation.js";

const usualLimit = 50;
const highestLimit = 1000;

/** Endpoints of connections by a part of their name, for completion. */
export const endpointsOperation: Operation = {
  method: "GET",
  path: "/endpoints",
  parameters: { search: { given: "at-most-once" }, limit: { given: "at-most-once" } },
  answer: async ({ request, query, state }) => {
    const limit = Number(query.get("limit") ?? usualLimit);
    if (!Number.isInteger(limit) || limit < 1 || limit > highestLimit)
      return problemResponse({ status: 400, detail: `\`limit\` is a number from 1 to ${highestLimit}` });
    const search = (query.get("search") ?? "").toLowerCase();
    const found = [...endpointsOf(state.reading.state.cluster)].filter(({ matches }) =>
      matches.some((text) => text.includes(search)),
    );
    // Names that begin with the text come before names that contain it.
    const [first, second] = [true, false].map((begins) =>
      found.filter(({ matches }) => matches.some((text) => text.startsWith(search)) === begins),
    );
    const endpoints = [...first!, ...second!].slice(0, limit).map(({ value }) => value);
    return json(request, { apiVersion, kind: "EndpointList", total: found.length, endpoints });
  },
};

interface Candidate {
  readonly value: JsonValue;
  /** Lower case; a user may type any of them. */
  readonly matches: readonly string[];
}

function* endpointsOf(cluster: Inventory): Iterable<Candidate> {
  for (const { kind, namespace, name, pods } of cluster.workloads)
    yield candidate("workload", `${namespace}/${kind}/${name}`, name, { namespace, pods: pods.length });
  for (const { namespace, name, addresses, fromTemplate } of cluster.pods.values())
    if (fromTemplate === undefined)
      yield candidate("pod", `${namespace}/${name}`, name, { namespace }, addresses.map(formatAddress));
  for (const { namespace, name, addresses } of cluster.services)
    yield candidate(
      "service",
      `${namespace}/Service/${name}`,
      name,
      { namespace },
      addresses.map(formatAddress),
    );
  for (const { name, addresses } of cluster.nodes.values())
    yield candidate("node", `node:${name}`, name, {}, addresses.map(formatAddress));
}

/** `ref` is what explain and lookup take. */
function candidate(
  kind: "pod" | "workload" | "service" | "node",
  ref: string,
  name: string,
  more: Readonly<Record<string, JsonValue>>,
  addresses: readonly string[] = [],
): Candidate {
  const value = { kind, ref, name, ...more, ...(addresses.length === 0 ? {} : { addresses }) };
  return { value, matches: [ref, name, ...addresses].map((text) => text.toLowerCase()) };
}
