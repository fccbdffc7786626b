import fc from "fast-check";
import type { Question } from "../../src/analysis/explain/ask.js";
import type { EndpointRef, PortRef } from "../../src/analysis/endpoints/endpoint-ref.js";
import { address, type ClusterChoices, type ClusterModel } from "./arbitrary-cluster.js";
import {
  externalAddresses,
  fields,
  labelWords,
  namespaceNameKey,
  often,
  anyOf,
  portNumbers,
  someLabels,
  transport,
} from "./arbitrary-vocabulary.js";

/** Mostly the ports of rules and containers; also the numbers next to those, and the first and last. */
const port: fc.Arbitrary<PortRef> = often<PortRef>(
  [
    9,
    anyOf<PortRef>(
      { kind: "number", port: 80, protocol: "TCP" },
      { kind: "number", port: 80, protocol: "TCP" },
      { kind: "number", port: 81, protocol: "UDP" },
      { kind: "number", port: 53, protocol: "UDP" },
      { kind: "number", port: 443, protocol: "SCTP" },
    ),
  ],
  [
    5,
    fields({
      kind: fc.constant("number" as const),
      port: anyOf(1, 65535, 82, 100, 101, 442, 444, ...portNumbers),
      protocol: transport,
    }),
  ],
  [1, fc.constant({ kind: "icmp" } as const)],
);

const newPod: fc.Arbitrary<EndpointRef> = fields({
  kind: fc.constant("new" as const),
  namespaceLabels: often<Readonly<Record<string, string>>>(
    [1, someLabels(labelWords.namespace)],
    [1, fc.constant({ [namespaceNameKey]: "beta" })],
  ),
  podLabels: someLabels(labelWords.pod),
});

/** Questions about the endpoints of a cluster, mostly pods; `complete` ones are not about future pods. */
export function questionsAbout(
  { pods, nodes, extras }: ClusterModel,
  { complete = false }: ClusterChoices = {},
): fc.Arbitrary<readonly Question[]> {
  const pod = anyOf(...pods).map(({ namespace, name }): EndpointRef => ({ kind: "named", namespace, name }));
  const node = anyOf(...nodes).chain(({ name, ips }) =>
    anyOf<EndpointRef>(
      { kind: "node", name },
      ...ips.map((ip) => ({ kind: "address" as const, address: address(ip) })),
    ),
  );
  const external = anyOf(...externalAddresses).map(
    (text): EndpointRef => ({ kind: "address", address: address(text) }),
  );
  const services = extras.filter(({ kind }) => kind === "Service");
  const service = services.map(({ metadata }): EndpointRef => {
    return { kind: "workload", workload: "Service", namespace: metadata.namespace!, name: metadata.name };
  });
  const coming = complete ? pod : newPod;
  const from = often<EndpointRef>([8, pod], [2, node], [1, external], [1, coming]);
  const to = often<EndpointRef>(
    [8, pod],
    [2, node],
    [3, external],
    [1, coming],
    ...(service.length > 0 ? [[1, anyOf(...service)] as const] : []),
  );
  return fc.array(fields({ from, to, port }), { minLength: 20, maxLength: 20 });
}
