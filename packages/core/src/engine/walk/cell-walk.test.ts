import { describe, expect, it } from "vitest";
import { world } from "../../../testing/world.js";
import { compile } from "../engine.js";

/** The effects of the egress rules of a pod, `1 decides, 2 may-decide`, if the addresses of names are unknown. */
function fatesOf(...rules: readonly string[]): string {
  const { state } = world(
    [
      "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
      "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: pod}, status: {podIP: 10.0.0.1}}",
      `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: names}, spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [${rules.join()}]}}`,
    ].join("\n---\n"),
  );
  const pod = state.cluster.pods.get("a/pod")!;
  const namespace = state.cluster.namespaces.get("a")!;
  const effects = compile(state.cluster, state.tiers).ruleEffects({ kind: "pod", pod, namespace })!;
  const effectTexts = state.tiers.egress[0]!.rules.map(
    (rule, i) => `${i + 1} ${effects.asSubject.egress.of({ kind: "rule", tier: "admin", rule })?.kind}`,
  );
  return effectTexts.join(", ");
}

const name = (text: string) => `{action: Accept, to: [{domainNames: ["${text}"]}]}`;
const deny = (network: string) => `{action: Deny, to: [{networks: ["${network}"]}]}`;

describe("rules that depend on what names resolve to", () => {
  it.each([
    [
      "each may decide, and what comes behind may as well",
      [name("a.com"), name("b.com"), deny("203.0.113.0/24")],
      "1 may-decide, 2 may-decide, 3 may-decide",
    ],
    ["nothing is left behind what is sure", [deny("0.0.0.0/0"), name("a.com")], "1 decides, 2 never"],
    [
      "the same name twice: the second never decides",
      [name("a.com"), name("a.com")],
      "1 may-decide, 2 never",
    ],
    [
      "also with something sure between",
      [name("a.com"), deny("203.0.113.0/24"), name("a.com")],
      "1 may-decide, 2 may-decide, 3 never",
    ],
  ])("%s", (_, rules, wanted) => expect(fatesOf(...rules)).toBe(wanted));
});
