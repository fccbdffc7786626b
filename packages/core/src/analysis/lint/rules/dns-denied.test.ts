import { describe, expect, it } from "vitest";
import { findingsOf, messagesOf } from "../../../../testing/linted.js";
import { clusterPolicy, namespace, networkPolicy, pod } from "../../../../testing/manifests.js";
import { dnsDenied } from "./dns-denied.js";

const apps =
  namespace("shop") +
  namespace("kube-system") +
  pod("shop/cart", { labels: "{app: cart}" }) +
  pod("shop/web", { labels: "{app: web}" });
const dns = pod("kube-system/coredns", { labels: "{k8s-app: kube-dns}" });
const cluster = apps + dns;
const messages = (yaml: string) => messagesOf(dnsDenied, yaml);

const defaultDeny = networkPolicy("shop/default-deny", { policyTypes: "[Egress]" });
const letDns = (podSelector: string) =>
  networkPolicy("shop/dns", {
    podSelector,
    policyTypes: "[Egress]",
    egress: "[{to: [{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}]}]",
  });

describe("pods that are cut off from DNS", () => {
  it("by isolation", () =>
    expect(messages(cluster + defaultDeny)).toEqual([
      "NetworkPolicy shop/default-deny isolates 2 pods for egress, and nothing lets them ask the cluster's DNS",
    ]));

  it("with the pods that isolate together, and the query that is denied", () => {
    const other = networkPolicy("shop/egress-too", { policyTypes: "[Egress]" });
    const [found] = findingsOf(dnsDenied, cluster + defaultDeny + other);
    expect(found?.related?.map(({ text }) => text)).toEqual([
      "NetworkPolicy shop/egress-too isolates them, too",
    ]);
    expect(found?.witness).toMatchObject({
      kind: "flow",
      verdict: "Deny",
      flow: { protocol: "UDP", port: 53 },
    });
  });

  it("exactly those that no rule allows", () =>
    expect(messages(cluster + defaultDeny + letDns("{matchLabels: {app: web}}"))).toEqual([
      "NetworkPolicy shop/default-deny isolates shop/cart for egress, and nothing lets it ask the cluster's DNS",
    ]));

  it("also where no policy distinguishes them from the servers", () =>
    expect(
      messages(
        namespace("one") +
          pod("one/dns", { labels: "{k8s-app: kube-dns}" }) +
          pod("one/web") +
          networkPolicy("one/deny", { policyTypes: "[Egress]" }),
      ),
    ).toEqual([
      "NetworkPolicy one/deny isolates one/web for egress, and nothing lets it ask the cluster's DNS",
    ]));

  it("by a rule that denies", () =>
    expect(
      messages(cluster + clusterPolicy("lockdown", { egress: "[{action: Deny, to: [{namespaces: {}}]}]" })),
    ).toEqual(["ClusterNetworkPolicy lockdown keeps 2 pods from the cluster's DNS"]));

  it("by isolation of the DNS pods", () =>
    expect(messages(cluster + networkPolicy("kube-system/closed", { policyTypes: "[Ingress]" }))).toEqual([
      "NetworkPolicy kube-system/closed isolates the cluster's DNS for ingress, and nothing lets 2 pods ask it",
    ]));

  it("S1.9: behind a Service, on the port that it leads to", () => {
    const service = `---
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {clusterIP: 10.96.0.10, selector: {dns: "yes"}, ports: [{port: 53, protocol: UDP, targetPort: 5353}]}
`;
    const servers = apps + service + pod("kube-system/dns", { labels: '{dns: "yes"}' });
    const [found] = findingsOf(dnsDenied, servers + defaultDeny + letDns("{}"));
    expect(found?.witness).toMatchObject({ kind: "flow", flow: { port: 5353 } });
  });

  it.each([
    ["a default deny with a rule for DNS", cluster + defaultDeny + letDns("{}")],
    [
      "a default deny that an admin rule opens for DNS",
      cluster +
        defaultDeny +
        clusterPolicy("dns", {
          egress:
            "[{action: Accept, to: [{namespaces: {}}], protocols: [{udp: {destinationPort: {number: 53}}}]}]",
        }),
    ],
    ["isolation for ingress", cluster + networkPolicy("shop/np", { policyTypes: "[Ingress]" })],
    ["a cluster whose DNS is not in the input", apps + defaultDeny],
    [
      "a DNS server in the host's network",
      apps + pod("kube-system/dns", { labels: "{k8s-app: kube-dns}", hostNetwork: true }) + defaultDeny,
    ],
    [
      "one DNS pod of two that is reached",
      cluster +
        pod("kube-system/coredns-2", { labels: "{k8s-app: kube-dns, open: x}" }) +
        networkPolicy("kube-system/closed", {
          podSelector: "{matchExpressions: [{key: open, operator: DoesNotExist}]}",
          policyTypes: "[Ingress]",
        }),
    ],
  ])("does not report %s", (_what, yaml) => expect(messages(yaml)).toEqual([]));
});
