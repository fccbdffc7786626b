import { describe, expect, it } from "vitest";
import { linted, messagesOf } from "../../../../testing/linted.js";
import { clusterPolicy, namespace, networkPolicy, pod } from "../../../../testing/manifests.js";
import { namesWithoutDeny } from "./names-without-deny.js";

const cluster = namespace("shop") + pod("shop/cart", { labels: "{app: cart}", ips: ["10.0.0.1"] });
const names = (more = "") =>
  clusterPolicy("names", { egress: `[{action: Accept, to: [{domainNames: ["*.example.com"]}]${more}}]` });
const denyAll = (networks: string) =>
  clusterPolicy("deny", { priority: "11", egress: `[{action: Deny, to: [{networks: [${networks}]}]}]` });
const messages = (yaml: string) => messagesOf(namesWithoutDeny, yaml);
const finding = ["allowing *.example.com changes nothing: nothing behind it denies other addresses"];

describe("domain names allowed", () => {
  it.each([
    ["with nothing behind them", cluster + names()],
    [
      "with a denial before them only",
      cluster +
        names() +
        denyAll("203.0.113.0/24").replace("priority: 11", "priority: 1").replace("Deny", "Pass"),
    ],
    [
      "with a denial of pods behind them",
      cluster +
        names() +
        clusterPolicy("pods", { priority: "11", egress: "[{action: Deny, to: [{namespaces: {}}]}]" }),
    ],
    [
      "with a denial for other pods",
      cluster +
        names() +
        denyAll("0.0.0.0/0").replace("{namespaces: {}}", "{namespaces: {matchLabels: {a: b}}}"),
    ],
    [
      "with a denial of other ports",
      cluster +
        names(", protocols: [{tcp: {destinationPort: {number: 443}}}]") +
        clusterPolicy("no-smtp", {
          priority: "11",
          egress:
            "[{action: Deny, to: [{networks: [0.0.0.0/0]}], protocols: [{tcp: {destinationPort: {number: 25}}}]}]",
        }),
    ],
    ["with a denial of the other family than the pods'", cluster + names() + denyAll('"::/0"')],
    ["without pods, and without a denial", names()],
    [
      "without pods, and with a denial that an earlier rule passes",
      names().replace("egress: [", "egress: [{action: Pass, to: [{networks: [0.0.0.0/0]}]}, ") +
        denyAll("0.0.0.0/0"),
    ],
  ])("change nothing %s", (_what, yaml) => expect(messages(yaml)).toEqual(finding));

  it("is reported at the names", () =>
    expect(linted(namesWithoutDeny, names())[0]).toMatch(/^\[domainNames\] /));

  it.each([
    ["a denial of the rest", cluster + names() + denyAll("0.0.0.0/0")],
    [
      "isolation by a NetworkPolicy",
      cluster + names() + networkPolicy("shop/np", { policyTypes: "[Egress]" }),
    ],
    ["a denial of a part", cluster + names() + denyAll("203.0.113.0/24")],
    ["policies alone, with a denial", names() + denyAll("0.0.0.0/0")],
    [
      "Cilium's names, whose section isolates",
      `${cluster}---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: cnp, namespace: shop}
spec: {endpointSelector: {}, egress: [{toFQDNs: [{matchName: example.com}]}]}
`,
    ],
  ])("does not report %s", (_what, yaml) => expect(messages(yaml)).toEqual([]));
});
