import fc from "fast-check";
import {
  broadly,
  cidrWithParts,
  fields,
  anyNamespaceName,
  namespaceSelector,
  often,
  anyOf,
  podSelector,
  anyPortName,
  anyPortNumber,
  portRange,
  type Selector,
  transport,
  type Transport,
  type Unnamed,
} from "./arbitrary-vocabulary.js";

/** NetworkPolicy's port, which the first draft and the KEP use as well. */
export interface PolicyPort {
  readonly protocol?: Transport;
  readonly port?: number | string;
  readonly endPort?: number;
}

export interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

export interface NetworkPolicyPeer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: IpBlock;
}

export interface NetworkPolicyRule {
  readonly from?: readonly NetworkPolicyPeer[];
  readonly to?: readonly NetworkPolicyPeer[];
  readonly ports?: readonly PolicyPort[];
}

export interface NetworkPolicySpec {
  readonly podSelector?: Selector;
  readonly policyTypes?: readonly ("Ingress" | "Egress")[];
  readonly ingress?: readonly NetworkPolicyRule[];
  readonly egress?: readonly NetworkPolicyRule[];
}

export const anyPolicyPort: fc.Arbitrary<PolicyPort> = often<PolicyPort>(
  [4, fields({ port: anyPortNumber }, { protocol: transport })],
  [
    2,
    fc
      .tuple(portRange, transport)
      .map(([[port, endPort], protocol]) => ({ port: port!, endPort: endPort!, protocol })),
  ],
  [3, fields({ port: anyPortName }, { protocol: transport })],
  [2, fields({}, { protocol: transport })],
);

const peer: fc.Arbitrary<NetworkPolicyPeer> = often<NetworkPolicyPeer>(
  [3, fields({ podSelector })],
  [3, fields({ namespaceSelector })],
  [3, fields({ podSelector, namespaceSelector })],
  [3, fields({ ipBlock: cidrWithParts })],
);

const peers = fc.array(peer, { maxLength: 3 });
const ports = fc.array(anyPolicyPort, { maxLength: 3 });

export const ingressRule: fc.Arbitrary<NetworkPolicyRule> = fields({}, { from: peers, ports });
export const egressRule: fc.Arbitrary<NetworkPolicyRule> = fields({}, { to: peers, ports });

export const anyNetworkPolicy: fc.Arbitrary<Unnamed<NetworkPolicySpec>> = fields({
  apiVersion: fc.constant("networking.k8s.io/v1"),
  kind: fc.constant("NetworkPolicy"),
  namespace: anyNamespaceName,
  spec: fields(
    { podSelector: broadly(podSelector) },
    {
      policyTypes: anyOf<readonly ("Ingress" | "Egress")[]>(
        ["Ingress"],
        ["Egress"],
        ["Ingress", "Egress"],
        [],
      ),
      ingress: fc.array(ingressRule, { maxLength: 2 }),
      egress: fc.array(egressRule, { maxLength: 2 }),
    },
  ),
});
