import { expect, it } from "vitest";
import { webhookConfiguration } from "./configuration.js";

const address = { service: { name: "tierwall-webhook", namespace: "tierwall-system", port: 443 } };
const webhookOf = (options: Partial<Parameters<typeof webhookConfiguration>[0]> = {}) => {
  const { webhooks } = webhookConfiguration({ namespace: "tierwall-system", address, ...options }) as {
    webhooks: [Record<string, unknown>];
  };
  return webhooks[0];
};

it("asks about every kind of policy but Cilium's, and about guarantees", () => {
  const rules = webhookOf().rules as { apiGroups: string[]; apiVersions: string[]; resources: string[] }[];
  expect(
    rules.map(
      ({ apiGroups, apiVersions, resources }) =>
        `${apiGroups.join()}/${apiVersions.join()} ${resources.join()}`,
    ),
  ).toEqual([
    "networking.k8s.io/v1 networkpolicies",
    "policy.networking.k8s.io/v1alpha2,v1beta1 clusternetworkpolicies",
    "policy.networking.k8s.io/v1alpha1 adminnetworkpolicies,baselineadminnetworkpolicies",
    "netpol.networking.k8s.io/v1alpha1 clusternetworkpolicies,clusterdefaultnetworkpolicies",
    "tierwall.dev/v1 guarantees",
  ]);
});

it("asks about deletions of policies, and not of guarantees: these can always be deleted", () => {
  const rules = webhookOf().rules as { apiGroups: string[]; operations: string[] }[];
  for (const { apiGroups, operations } of rules)
    expect(operations.includes("DELETE")).toBe(apiGroups[0] !== "tierwall.dev");
});

it("never blocks the system or itself, and is ignored when it is unavailable", () => {
  expect(webhookOf()).toMatchObject({
    failurePolicy: "Ignore",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    namespaceSelector: {
      matchExpressions: [
        {
          key: "kubernetes.io/metadata.name",
          operator: "NotIn",
          values: ["kube-system", "kube-public", "kube-node-lease", "tierwall-system"],
        },
      ],
    },
  });
});

it.each([
  [{ address }, { service: address.service }],
  [{ address: { url: "https://10.0.0.1:9443/validate" } }, { url: "https://10.0.0.1:9443/validate" }],
])("is reached as %j says", (options, wanted) => {
  expect(webhookOf(options).clientConfig).toEqual(wanted);
});
