import { guaranteeKind, policyKinds, type WatchedKind } from "../cluster/kinds.js";

/** How API servers get to the webhook. */
type WebhookAddress =
  | { readonly service: { readonly name: string; readonly namespace: string; readonly port: number } }
  | { readonly url: string };

interface ConfigurationOptions {
  /** Where Tierwall itself runs: what happens there is none of the webhook's business. */
  readonly namespace: string;
  readonly address: WebhookAddress;
  /** The service account of the controller. */
  readonly serviceAccount?: string;
  readonly name?: string;
  /** `Ignore`: when no webhook answers, policies are admitted without warnings. */
  readonly failurePolicy?: "Ignore" | "Fail";
  readonly timeoutSeconds?: number;
}

const webhookName = "policies.tierwall.dev";
export const webhookPath = "/validate";
export const usualConfiguration = "tierwall";
/** The Secret with its certificates. */
export const certificateSecret = "tierwall-webhook-tls";

/** Namespaces in which an error in Tierwall could take the cluster down. */
const systemNamespaces = ["kube-system", "kube-public", "kube-node-lease"];

/** The ValidatingWebhookConfiguration that has API servers ask about every policy but Cilium's, which Cilium validates. */
export function webhookConfiguration(options: ConfigurationOptions): object {
  const { namespace, address, failurePolicy = "Ignore", timeoutSeconds = 10 } = options;
  const { serviceAccount = "tierwall-controller", name = usualConfiguration } = options;
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name, labels: { "app.kubernetes.io/name": "tierwall" } },
    webhooks: [
      {
        name: webhookName,
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy,
        timeoutSeconds,
        matchPolicy: "Equivalent",
        // The controller writes the authorities, and the path of a Service with its secret part: here, they would be taken back with
        // every `kubectl apply`.
        clientConfig: { ...address },
        namespaceSelector: {
          matchExpressions: [
            {
              key: "kubernetes.io/metadata.name",
              operator: "NotIn",
              values: [...systemNamespaces, namespace],
            },
          ],
        },
        matchConditions: [
          {
            name: "not-from-the-system",
            expression:
              "!('system:serviceaccounts:kube-system' in request.userInfo.groups || 'system:nodes' in request.userInfo.groups)",
          },
          {
            name: "not-from-tierwall",
            expression: `request.userInfo.username != 'system:serviceaccount:${namespace}:${serviceAccount}'`,
          },
        ],
        rules: rules(),
      },
    ],
  };
}

/** One for each group and version. */
function rules(): readonly object[] {
  const ours = [...policyKinds.filter(({ group }) => group !== "cilium.io"), guaranteeKind];
  const versions = [...new Set(ours.map(versionOf))];
  const kindsOf = (version: string) => ours.filter((kind) => versionOf(kind) === version);
  return versions.map(kindsOf).map((kinds) => ({
    apiGroups: [kinds[0]!.group],
    apiVersions: [...kinds[0]!.versions],
    resources: kinds.map(({ plural }) => plural),
    operations: kinds[0] === guaranteeKind ? ["CREATE", "UPDATE"] : ["CREATE", "UPDATE", "DELETE"],
    scope: "*",
  }));
}

const versionOf = ({ group, versions }: WatchedKind): string => `${group}/${versions.join()}`;
