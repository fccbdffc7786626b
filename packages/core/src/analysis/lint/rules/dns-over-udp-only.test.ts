import { describe, expect, it } from "vitest";
import { linted } from "../../../../testing/linted.js";
import { namespace, networkPolicy, pod } from "../../../../testing/manifests.js";
import { dnsOverUdpOnly } from "./dns-over-udp-only.js";

const cluster =
  namespace("shop") +
  namespace("kube-system") +
  pod("shop/cart") +
  pod("kube-system/coredns", { labels: "{k8s-app: kube-dns}" });
const letting = (ports: string) =>
  networkPolicy("shop/dns", {
    policyTypes: "[Egress]",
    egress: `[{to: [{namespaceSelector: {}}], ports: [${ports}]}]`,
  });

describe("DNS over UDP only", () => {
  it("is reported with the port that is missing", () =>
    expect(linted(dnsOverUdpOnly, cluster + letting("{port: 53, protocol: UDP}"))).toEqual([
      "[podSelector] shop/cart can ask the cluster's DNS over UDP, and not over TCP",
    ]));

  it.each([
    ["both protocols", "{port: 53, protocol: UDP}, {port: 53, protocol: TCP}"],
    ["neither, which is another finding", "{port: 443}"],
  ])("does not report %s", (_what, ports) =>
    expect(linted(dnsOverUdpOnly, cluster + letting(ports))).toEqual([]),
  );
});
