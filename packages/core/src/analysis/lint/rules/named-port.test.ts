import { describe, expect, it } from "vitest";
import { linted, messagesOf } from "../../../../testing/linted.js";
import { clusterPolicy, namespace, networkPolicy, pod } from "../../../../testing/manifests.js";
import { undeclaredPort } from "./named-port.js";

const cluster =
  namespace("shop") +
  namespace("bank") +
  pod("shop/cart", {
    labels: "{app: cart}",
    ports: "{name: web, containerPort: 80}, {containerPort: 9090}",
  }) +
  pod("shop/stock", { labels: "{app: stock}", ports: "{name: web, containerPort: 81}" }) +
  pod("bank/ledger", { labels: "{app: ledger}", ports: "{name: dns, containerPort: 53, protocol: UDP}" });
const messages = (policy: string) => messagesOf(undeclaredPort, cluster + policy);
const ingress = (ports: string, podSelector = "{}") =>
  networkPolicy("shop/np", { podSelector, ingress: `[{ports: [${ports}]}]` });
const egress = (to: string, name: string) =>
  clusterPolicy("guard", {
    egress: `[{action: Deny, to: [${to}], protocols: [{destinationNamedPort: ${name}}]}]`,
  });

describe("a named port that no pod has", () => {
  it.each([
    [
      "of the pods the policy is for, with the one that was probably meant",
      ingress("{port: webs}"),
      "none of the 2 pods it is for has a TCP port named `webs`, so this port matches nothing; did you mean `web`?",
    ],
    [
      "of a single pod",
      ingress("{port: metrics}", "{matchLabels: {app: cart}}"),
      "shop/cart has no TCP port named `metrics`, so this port matches nothing",
    ],
    [
      "S1.8: which has it for another protocol",
      ingress("{port: web, protocol: UDP}", "{matchLabels: {app: cart}}"),
      "shop/cart has no UDP port named `web`, so this port matches nothing; it is a port of TCP there",
    ],
    [
      "of the pods an egress rule leads to",
      egress(
        "{pods: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: bank}}, podSelector: {}}}",
        "web",
      ),
      "bank/ledger has no port named `web`, so this port matches nothing",
    ],
  ])("%s", (_what, policy, expected) => expect(messages(policy)).toEqual([expected]));

  it("the place is that of the name", () =>
    expect(linted(undeclaredPort, cluster + ingress("{port: 80}, {port: webs}"))[0]).toMatch(/^\[webs\] /));

  it.each([
    ["a name that one of several pods has", ingress("{port: web}")],
    ["a name for two protocols, one of which a pod has", ingress("{port: web}, {port: web, protocol: UDP}")],
    ["numbers", ingress("{port: 4711}")],
    [
      "a policy that selects no pods, which is another finding",
      ingress("{port: webs}", "{matchLabels: {app: none}}"),
    ],
    ["an egress rule to several namespaces, one of which has it", egress("{namespaces: {}}", "dns")],
    ["an egress rule to no pods", egress("{namespaces: {matchLabels: {team: x}}}", "dns")],
  ])("does not report %s", (_what, policy) => expect(messages(policy)).toEqual([]));
});
