import fc from "fast-check";
import { type PolicyPort, anyPolicyPort } from "./arbitrary-network-policy.js";
import {
  broadly,
  fields,
  namespaceSelector,
  often,
  anyOf,
  podSelector,
  type Selector,
  type Unnamed,
} from "./arbitrary-vocabulary.js";

/** The two kinds of KEP-2091's first draft, as they are written. */
export interface DraftSpec {
  readonly appliedTo: { readonly namespaceSelector: Selector; readonly podSelector?: Selector };
  readonly ingress?: readonly WrittenDraftRule[] | null;
  readonly egress?: readonly WrittenDraftRule[] | null;
}

export interface WrittenDraftRule {
  /** Not in a ClusterDefaultNetworkPolicy. */
  readonly action?: DraftAction;
  readonly from?: readonly DraftPeer[];
  readonly to?: readonly DraftPeer[];
  readonly ports?: readonly PolicyPort[];
}

export type DraftAction = "Empower" | "Deny" | "Allow";

export interface DraftPeer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly namespaces?:
    | { readonly scope: "Self" }
    | { readonly scope: "Selector"; readonly selector: Selector }
    | { readonly scope: "SameLabels"; readonly labels: readonly string[] };
}

const namespaces = often<NonNullable<DraftPeer["namespaces"]>>(
  [1, fc.constant({ scope: "Self" } as const)],
  [1, fields({ scope: fc.constant("Selector" as const), selector: namespaceSelector })],
  [2, fields({ scope: fc.constant("SameLabels" as const), labels: fc.subarray(["team", "env"]) })],
);

const peer: fc.Arbitrary<DraftPeer> = often<DraftPeer>(
  [1, fields({ namespaceSelector }, { podSelector })],
  [1, fields({ namespaces }, { podSelector })],
);
const peers = fc.array(peer, { maxLength: 3 });
const ports = fc.array(anyPolicyPort, { maxLength: 3 });
const appliedTo = fields(
  { namespaceSelector: broadly(namespaceSelector) },
  { podSelector: broadly(podSelector) },
);

export const draftRule = {
  ingress: fields({}, { from: peers, ports }) as fc.Arbitrary<WrittenDraftRule>,
  egress: fields({}, { to: peers, ports }) as fc.Arbitrary<WrittenDraftRule>,
};

const apiVersion = fc.constant("netpol.networking.k8s.io/v1alpha1");

export function anyGuardrail(
  actions: readonly DraftAction[] = ["Empower", "Deny", "Allow"],
): fc.Arbitrary<Unnamed<DraftSpec>> {
  const rules = (direction: "ingress" | "egress") =>
    fc.array(
      fc.tuple(anyOf(...actions), draftRule[direction]).map(([action, rule]) => ({ action, ...rule })),
      { maxLength: 3 },
    );
  return fields({
    apiVersion,
    kind: fc.constant("ClusterNetworkPolicy"),
    spec: fields({ appliedTo }, { ingress: rules("ingress"), egress: rules("egress") }),
  });
}

/** S6.5: a key isolates, whatever its value. */
const defaults = (rule: fc.Arbitrary<WrittenDraftRule>) =>
  often<readonly WrittenDraftRule[] | null>([1, fc.constant(null)], [4, fc.array(rule, { maxLength: 2 })]);

export const anyDefaultPolicy: fc.Arbitrary<Unnamed<DraftSpec>> = fields({
  apiVersion,
  kind: fc.constant("ClusterDefaultNetworkPolicy"),
  spec: fields({ appliedTo }, { ingress: defaults(draftRule.ingress), egress: defaults(draftRule.egress) }),
});
