import fc from "fast-check";
import type { AdminAction } from "./arbitrary-admin.js";
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

/** The AdminNetworkPolicy of KEP-2091, as it is written. */
export interface KepSpec {
  readonly priority: number;
  readonly subject: KepSubject;
  readonly ingress?: readonly KepRule[];
  readonly egress?: readonly KepRule[];
}

export type KepSubject =
  | { readonly namespaceSelector: Selector }
  | {
      readonly namespaceAndPodSelector: {
        readonly namespaceSelector: Selector;
        readonly podSelector: Selector;
      };
    };

export interface KepRule {
  readonly action: AdminAction;
  readonly from?: readonly KepPeer[];
  readonly to?: readonly KepPeer[];
  readonly l4Selector: KepPorts;
}

export type KepPorts = { readonly allPorts: true } | { readonly ports: readonly PolicyPort[] };

export type KepPeer =
  | { readonly namespaces: KepNamespaces }
  | { readonly namespacedPods: { readonly namespaces: KepNamespaces; readonly pods: KepPods } };

export type KepNamespaces =
  | { readonly self: true }
  | { readonly notSelf: true }
  | { readonly namespaceSelector: Selector }
  | LabelSet;

export type KepPods = { readonly podSelector: Selector } | LabelSet;

export type LabelSet =
  | { readonly sameLabels: readonly string[] }
  | { readonly notSameLabels: readonly string[] };

const labelSet = (keys: readonly string[]): fc.Arbitrary<LabelSet> => {
  const some = fc.subarray([...keys]);
  return fc.oneof(fields({ sameLabels: some }), fields({ notSameLabels: some }));
};

const namespaceSet = often<KepNamespaces>(
  [2, fields({ namespaceSelector })],
  [1, fc.constant({ self: true } as const)],
  [1, fc.constant({ notSelf: true } as const)],
  [2, labelSet(["team", "env"])],
);
const podSet = often<KepPods>([1, fields({ podSelector })], [1, labelSet(["team", "app"])]);

const peer = often<KepPeer>(
  [1, fields({ namespaces: namespaceSet })],
  [1, fields({ namespacedPods: fields({ namespaces: namespaceSet, pods: podSet }) })],
);
const anyPeers = fc.array(peer, { maxLength: 3 });

const severalLabels = (keys: readonly string[]): fc.Arbitrary<LabelSet> =>
  anyOf<LabelSet>({ sameLabels: keys }, { notSameLabels: keys });
/** One peer: another could match what it does not. */
const relativePeers = fc.tuple(
  often<KepPeer>(
    [2, fields({ namespaces: severalLabels(["team", "env"]) })],
    [1, peer],
    [
      1,
      fields({
        namespacedPods: fields({
          namespaces: fc.constant({ namespaceSelector: {} }),
          pods: severalLabels(["team", "app"]),
        }),
      }),
    ],
  ),
);

const l4Selector = often<KepPorts>(
  [1, fc.constant({ allPorts: true } as const)],
  [1, fields({ ports: fc.array(anyPolicyPort, { maxLength: 3 }) })],
);

export interface KepChoices {
  readonly actions?: readonly AdminAction[];
  readonly priorities?: readonly number[];
  /** S5.4: most peers are relative to several labels of the subject. */
  readonly relative?: boolean;
}

export function anyKepPolicy({
  actions = ["Allow", "Deny", "Pass"],
  priorities = [0, 1, 500, 998, 999, 1000],
  relative = false,
}: KepChoices = {}): fc.Arbitrary<Unnamed<KepSpec>> {
  const action = anyOf(...actions);
  const subject = often<KepSubject>(
    [1, fields({ namespaceSelector: broadly(namespaceSelector) })],
    [
      1,
      fields({
        namespaceAndPodSelector: fields({
          namespaceSelector: broadly(namespaceSelector),
          podSelector: broadly(podSelector),
        }),
      }),
    ],
  );
  const peers: fc.Arbitrary<readonly KepPeer[]> = relative ? relativePeers : anyPeers;
  const ingress = fc.array(fields({ action, l4Selector }, { from: peers }), { maxLength: 3 });
  const egress = fc.array(fields({ action, l4Selector }, { to: peers }), { maxLength: 3 });
  return fields({
    apiVersion: fc.constant("policy.networking.k8s.io/v1alpha1"),
    kind: fc.constant("AdminNetworkPolicy"),
    spec: fields({ priority: anyOf(...priorities), subject }, { ingress, egress }),
  });
}
