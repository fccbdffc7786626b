import type { Pod, Service, ServicePort } from "../../cluster/model.js";
import { backendsOf } from "../../cluster/service.js";
import type { State } from "../../state/state.js";
import { candidatesFor, type Question } from "./ask.js";

/** A port in a question about pods that is a port of their Service, and maps to another port. */
export interface ServicePortAsked {
  readonly service: Service;
  readonly servicePort: ServicePort;
  /** The target port. */
  readonly target: number;
}

/** Policies match the ports of pods (S1.9): a question about a pod with the port of its Service may mean another port. */
export function servicePortAsked(
  state: Pick<State, "cluster">,
  question: Question,
): ServicePortAsked | undefined {
  const { port: asked } = question;
  const found = asked.kind === "number" ? candidatesFor(state, question) : undefined;
  if (asked.kind !== "number" || found?.ok !== true || found.value.to.service !== undefined) return undefined;
  const pods = new Set<Pod>();
  for (const endpoint of found.value.to.endpoints) if (endpoint.kind === "pod") pods.add(endpoint.pod);
  const isSame = (port: { port: number; protocol: string }) =>
    port.port === asked.port && port.protocol === asked.protocol;
  if ([...pods].some((pod) => pod.ports.some(isSame))) return undefined;
  for (const service of state.cluster.services)
    for (const servicePort of service.ports.filter(isSame)) {
      const backends = backendsOf(state.cluster, service, servicePort) ?? [];
      const backend = backends.find(({ pod }) => pod !== undefined && pods.has(pod));
      if (backend?.port !== undefined && backend.port !== asked.port)
        return { service, servicePort, target: backend.port };
    }
  return undefined;
}
