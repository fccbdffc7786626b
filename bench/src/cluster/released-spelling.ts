import type { Json, JsonObject, Manifest } from "../generate/json.js";

/** A generated ClusterNetworkPolicy as the released definition has it: other words, and no more rules than it takes. */
export function released(policy: Manifest): Manifest {
  const spec = policy.spec as JsonObject;
  const rules = (list: Json | undefined): Json[] =>
    ((list ?? []) as readonly JsonObject[]).slice(0, mostRules).map(releasedRule);
  return {
    ...policy,
    spec: {
      ...spec,
      tier: spec.tier === "admin" ? "Admin" : "Baseline",
      ingress: rules(spec.ingress),
      egress: rules(spec.egress),
    },
  };
}

const mostRules = 25;

function releasedRule({ ports, action, ...rule }: JsonObject): JsonObject {
  const list = (ports ?? []) as readonly JsonObject[];
  return {
    ...rule,
    action: action === "Allow" ? "Accept" : action!,
    ...(list.length === 0 ? {} : { protocols: list.slice(0, mostRules).map(releasedPort) }),
  };
}

function releasedPort({ portNumber, portRange, namedPort }: JsonObject): JsonObject {
  if (namedPort !== undefined) return { destinationNamedPort: namedPort };
  const { protocol = "TCP", port, start, end } = (portNumber ?? portRange) as JsonObject;
  const destinationPort =
    portNumber === undefined ? { range: { start: start!, end: end! } } : { number: port! };
  return { [(protocol as string).toLowerCase()]: { destinationPort } };
}
