import { describe, expect, it } from "vitest";
import { formatPolicy } from "../../policy/model.js";
import { clusterPolicy, namespace, networkPolicy } from "../../../testing/manifests.js";
import { readGuarantees } from "./guarantee.js";
import { admissionExpression } from "./index.js";
import { proven, refuted, resultOf } from "../../../testing/proven.js";

/** Deny from other tenants, except on port 443 and for the monitoring namespace's scrapes. */
const pci = clusterPolicy("pci-guardrail", {
  subject: "{namespaces: {matchLabels: {pci: 'true'}}}",
  ingress: `
    - {name: same, action: Pass, from: [{namespaces: {matchLabels: {pci: 'true'}}}]}
    - {name: https, action: Pass, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 443}}}]}
    - {name: scrape, action: Accept, from: [{namespaces: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}], protocols: [{destinationNamedPort: metrics}]}
    - {name: no-other-tenants, action: Deny, from: [{namespaces: {}}]}`,
});
const outsiders = `from: {namespaces: {matchExpressions: [{key: pci, operator: NotIn, values: ["true"]}]}}
to: {namespaces: {matchLabels: {pci: "true"}}}`;

describe("a guarantee", () => {
  it("S11.3: is refuted with the smallest cluster that breaks it, which the evaluator confirms", () => {
    const { counterexample, essential, incidental } = refuted(
      pci,
      `${outsiders}\nexceptPorts: [443/TCP]\nverdict: Deny`,
    );
    const { source, destination, protocol, portNames, owners } = counterexample.witness;
    expect(source).toMatchObject({ kind: "pod", namespace: "monitoring", namespaceLabels: {}, labels: {} });
    expect(destination).toMatchObject({
      kind: "pod",
      namespace: "other",
      namespaceLabels: { pci: "true" },
      labels: {},
    });
    expect([protocol, portNames, owners]).toEqual([
      "TCP",
      ["metrics"],
      { ingress: undefined, egress: undefined },
    ]);
    expect(counterexample.decisions.ingress.by).toMatchObject({
      kind: "rule",
      rule: { origin: { name: "scrape" } },
    });
    expect(essential).toEqual(
      expect.arrayContaining(["the port name metrics", "the name monitoring of the client's namespace"]),
    );
    expect(incidental).toContain("the port number (any of 1-442, 444-65535)");
  });

  it("S11.3: is proven, with the rules that the proof rests on", () => {
    const except = `assuming:\n  - {every: namespace, with: {matchLabels: {kubernetes.io/metadata.name: monitoring}}, has: {matchLabels: {pci: "true"}}}`;
    const { proof, unneeded } = proven(pci, `${outsiders}\nexceptPorts: [443/TCP]\nverdict: Deny\n${except}`);
    if (proof?.result !== "Proven") throw new Error(proof?.result);
    const names = proof.restsOn.map((part) =>
      "action" in part ? `${formatPolicy(part.origin.policy)} ${part.origin.name}` : "isolation",
    );
    expect(names).toEqual(["ClusterNetworkPolicy pci-guardrail no-other-tenants"]);
    expect(proof.neededAssumptions).toHaveLength(1);
    expect(unneeded).toEqual([]);
  });

  it("S11.1: names of ports, nodes, labels and names are free, and what cannot be is not", () => {
    const closed = clusterPolicy("closed", { ingress: "[{action: Deny, from: [{namespaces: {}}]}]" });
    const [pods, nodes, outside] = ["{namespaces: {}}", "{nodes: {}}", "{external: true}"];
    const toPods = (from: string, more = "") => `from: ${from}\nto: {namespaces: {}}\nverdict: Deny${more}`;
    expect(resultOf(closed, toPods(pods))).toBe("Proven");
    // S1.4, S1.6: host-network pods and nodes are not pods, and reach them.
    expect(resultOf(closed, toPods(nodes))).toBe("Refuted");
    expect(resultOf(closed, toPods("{hostNetworkPods: true}"))).toBe("Refuted");
    expect(resultOf(closed, toPods(outside))).toBe("Refuted");
    // ICMP is one of the protocols.
    const tcp = clusterPolicy("tcp", {
      ingress:
        "[{action: Deny, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {range: {start: 1, end: 65535}}}}, {udp: {destinationPort: {range: {start: 1, end: 65535}}}}, {sctp: {destinationPort: {range: {start: 1, end: 65535}}}}]}]",
    });
    expect(refuted(tcp, toPods(pods)).counterexample.witness.protocol).toBe("ICMP");
    expect(resultOf(tcp, toPods(pods, "\nexceptPorts: [ICMP]"))).toBe("Proven");
    // No pod has a link-local address.
    const linkLocal = clusterPolicy("link-local", {
      egress: "[{action: Deny, to: [{networks: [169.254.0.0/16]}]}]",
    });
    const witness = refuted(
      linkLocal,
      "from: {namespaces: {}}\nto: {networks: [0.0.0.0/0]}\nverdict: Deny",
    ).counterexample;
    expect(witness.witness.destination.kind).toBe("external");
    expect(
      resultOf(linkLocal, "from: {namespaces: {}}\nto: {networks: [169.254.1.0/24]}\nverdict: Deny"),
    ).toBe("Proven");
  });

  it("S11.1: pods of one namespace have the same namespace labels, and two endpoints have two addresses", () => {
    const nothing = clusterPolicy("none", { ingress: "[{action: Pass, from: [{namespaces: {}}]}]" });
    const other = "from: {pods: {namespaceSelector: {notSameLabels: [team]}, podSelector: {}}}";
    const both =
      "to: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop, team: a}}}\nverdict: Deny";
    const { source } = refuted(nothing, `${other}\n${both}`).counterexample.witness;
    expect(source.namespace).not.toBe("shop");
    expect(
      resultOf(
        nothing,
        "from: {networks: [10.0.0.1/32]}\nto: {networks: [10.0.0.1/32]}\nassuming: [{podCidrs: [10.0.0.0/8], nodeCidrs: [192.168.0.0/16]}]\nverdict: Deny",
      ),
    ).toBe("Vacuous");
    // A name that no namespace can have.
    expect(
      resultOf(
        nothing,
        "from: {namespaces: {matchLabels: {kubernetes.io/metadata.name: No_Name}}}\nto: {namespaces: {}}\nverdict: Deny",
      ),
    ).toBe("Vacuous");
  });

  it("S11.1: patterns of domain names agree with each other", () => {
    const names = clusterPolicy("names", {
      egress: `
    - {name: below, action: Accept, to: [{domainNames: ["*.example.com"]}]}
    - {name: others, action: Deny, to: [{networks: [0.0.0.0/0, "::/0"]}]}`,
    });
    const claim = "from: {namespaces: {}}\nto: {external: true}\nverdict: Deny";
    const { facts } = refuted(names, claim).counterexample;
    expect(facts).toEqual([
      expect.objectContaining({ answer: true, text: expect.stringContaining("*.example.com") as string }),
    ]);
  });

  it("S11.2: owners of namespaces may write anything, more, or what is written", () => {
    const closed = networkPolicy("shop/closed", { policyTypes: "[Ingress]" });
    const claim = (mode: string) =>
      `from: {namespaces: {}}\nto: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}\nverdict: Deny\nwhatever: {networkPolicies: ${mode}}`;
    expect(resultOf(closed, claim("as-written"))).toBe("Proven");
    expect(refuted(closed, claim("more")).counterexample.witness.owners).toEqual({
      ingress: "allow",
      egress: undefined,
    });
    // No owner needs to write a policy if the existing one may be deleted.
    expect(refuted(closed, claim("anything")).counterexample.witness.owners).toEqual({
      ingress: undefined,
      egress: undefined,
    });
    const open = clusterPolicy("open", {
      tier: "Baseline",
      ingress: "[{action: Accept, from: [{namespaces: {}}]}]",
    });
    const allow = "from: {namespaces: {}}\nto: {namespaces: {}}\nverdict: Allow";
    const { owners } = refuted(open, allow).counterexample.witness;
    expect(Object.values(owners).filter((act) => act !== undefined)).toEqual(["isolate"]);
  });

  it("S11.2: where there is Cilium, owners deny as well, also the pod's own node", () => {
    const fromNodes = "from: {nodes: {}}\nto: {namespaces: {}}\nverdict: Allow";
    const admin = clusterPolicy("open", { ingress: "[{action: Accept, from: [{namespaces: {}}]}]" });
    const cilium = `---
apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: open}
spec:
  endpointSelector: {}
  ingress: [{fromEntities: [all]}]
`;
    const { witness, decisions } = refuted(cilium, fromNodes).counterexample;
    expect([witness.owners.ingress, decisions.ingress.verdict]).toEqual(["deny", "Deny"]);
    // Without Cilium, owners cannot isolate a pod from its own node, but they can isolate it from other nodes.
    expect(refuted(admin, fromNodes).counterexample.witness.owners.ingress).toBe("isolate");
    expect(resultOf(cilium, `${fromNodes}\nwhatever: {networkPolicies: as-written}`)).toBe("Proven");
    const acts = refuted(
      cilium,
      `${fromNodes}\nwhatever: {networkPolicies: as-written, ciliumNetworkPolicies: more}`,
    );
    expect(acts.counterexample.manifests).toContain("CiliumNetworkPolicy");
  });

  it("S11.3: an Allow under a condition is not enough", () => {
    const l7 = `---
apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: http}
spec:
  endpointSelector: {}
  ingress: [{fromEntities: [all], toPorts: [{ports: [{port: "80", protocol: TCP}], rules: {http: [{method: GET}]}}]}]
`;
    const claim = (verdict: string) =>
      `from: {namespaces: {}}\nto: {namespaces: {}}\nports: [80/TCP]\nverdict: ${verdict}\nwhatever: {networkPolicies: as-written}`;
    expect(refuted(l7, claim("Allow")).counterexample.decisions.ingress.conditions).toEqual([
      expect.stringContaining("L7"),
    ]);
    expect(resultOf(l7, claim("Deny"))).toBe("Refuted");
    // An owner's policy that removes the condition (S7.7) is one that the owner may delete.
    const plain = l7
      .replace("CiliumClusterwideNetworkPolicy", "CiliumNetworkPolicy")
      .replace("{name: http}", "{name: plain, namespace: shop}")
      .replace(", rules: {http: [{method: GET}]}", "");
    const toShop = (verdict: string, whatever: string) =>
      `from: {external: true}\nto: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}\nports: [80/TCP]\nverdict: ${verdict}\nwhatever: {${whatever}}`;
    const fixed = "networkPolicies: more, ciliumNetworkPolicies: as-written";
    expect(resultOf(l7, toShop("Allow", fixed))).toBe("Refuted");
    expect(resultOf(l7 + plain, toShop("Allow", fixed))).toBe("Proven");
    for (const mode of ["anything", "more"]) {
      const whatever = `networkPolicies: as-written, ciliumNetworkPolicies: ${mode}`;
      const { decisions } = refuted(l7 + plain, toShop("Allow", whatever)).counterexample;
      expect([decisions.ingress.verdict, decisions.ingress.conditions.length > 0]).toEqual(
        mode === "anything" ? ["Allow", true] : ["Deny", false],
      );
      expect(resultOf(l7 + plain, toShop("Deny", whatever))).toBe("Refuted");
      expect(resultOf(l7, toShop("Deny", whatever))).toBe("Refuted");
    }
  });

  it("S11.3: what is not decided within the budget is not decided", () => {
    expect(proven(pci, `${outsiders}\nverdict: Deny`, {}, { deadline: 0 }).proof).toMatchObject({
      result: "NotDecided",
    });
  });

  it("S11.4: assumptions restrict the clusters; those that a proof does not need are reported", () => {
    const platform = clusterPolicy("platform", {
      ingress: `
    - {action: Pass, from: [{namespaces: {matchLabels: {role: platform}}}]}
    - {action: Deny, from: [{namespaces: {}}]}`,
    });
    const claim = `from: {namespaces: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [monitoring]}]}}
to: {namespaces: {}}
verdict: Deny`;
    expect(resultOf(platform, claim)).toBe("Refuted");
    const only = "{only: [monitoring], namespacesWith: {matchLabels: {role: platform}}}";
    const needless = "{every: pod, has: {matchExpressions: [{key: app, operator: Exists}]}}";
    const { proof, unneeded } = proven(platform, `${claim}\nassuming: [${only}, ${needless}]`);
    expect(proof?.result).toBe("Proven");
    expect(unneeded.map(({ text }) => text)).toEqual(["every pod has app"]);

    const deployed = platform + namespace("kube-system") + namespace("monitoring", "{role: platform}");
    const from = (names: string) =>
      `from: {namespaces: {matchLabels: {kubernetes.io/metadata.name: ${names}}}}\nto: {namespaces: {}}\nverdict: Deny`;
    const asDeployed = (name: string) =>
      `${from(name)}\nassuming: [{namespaces: [${name}], are: as-deployed}]`;
    expect(resultOf(deployed, from("kube-system"))).toBe("Refuted");
    expect(resultOf(deployed, asDeployed("kube-system"))).toBe("Proven");
    expect(resultOf(deployed, asDeployed("monitoring"))).toBe("Refuted");
    expect(proven(deployed, asDeployed("elsewhere")).diagnostics.map(({ code }) => code)).toEqual(["TW1508"]);
    expect(
      proven(
        deployed,
        `${claim}\nassuming: [{only: [elsewhere], namespacesWith: {matchLabels: {role: platform}}}]`,
      ).diagnostics[0]?.message,
    ).toContain("namespace monitoring has it too");
  });

  it("S11.4: an assumption about labels can be enforced by an API server", () => {
    const platform = clusterPolicy("platform", {
      ingress: `
    - {action: Pass, from: [{namespaces: {matchLabels: {role: platform}}}]}
    - {action: Deny, from: [{namespaces: {}}]}`,
    });
    const claim = `from: {namespaces: {matchLabels: {team: a}}}\nto: {namespaces: {}}\nverdict: Deny`;
    const expressions = (assuming: string) => {
      const { proof } = proven(
        platform + namespace("shop", "{team: a}"),
        `${claim}\nassuming: [${assuming}]`,
      );
      if (proof?.result !== "Proven") throw new Error(proof?.result);
      return proof.neededAssumptions.map(admissionExpression);
    };
    const labels = "object.metadata.labels";
    expect(
      expressions(
        "{only: [monitoring], namespacesWith: {matchLabels: {role: platform}}}, {every: namespace, with: {matchLabels: {kubernetes.io/metadata.name: monitoring}}, has: {matchExpressions: [{key: team, operator: NotIn, values: [a]}]}}",
      ),
    ).toEqual([
      `!(has(${labels}) && "role" in ${labels} && ${labels}["role"] in ["platform"]) || (object.metadata.name in ["monitoring"])`,
      `!(has(${labels}) && "kubernetes.io/metadata.name" in ${labels} && ${labels}["kubernetes.io/metadata.name"] in ["monitoring"]) || (!(has(${labels}) && "team" in ${labels} && ${labels}["team"] in ["a"]))`,
    ]);
    expect(
      expressions("{every: namespace, has: {matchExpressions: [{key: role, operator: DoesNotExist}]}}"),
    ).toEqual([`!(has(${labels}) && "role" in ${labels})`]);
  });

  it("S11.4: pods and nodes have their addresses where they are assumed to be, and nothing external is there", () => {
    const intranet = clusterPolicy("intranet", {
      egress: "[{action: Deny, to: [{networks: [10.0.0.0/8]}]}]",
    });
    const claim = "from: {namespaces: {}}\nto: {namespaces: {}}\nverdict: Deny";
    expect(resultOf(intranet, claim)).toBe("Refuted");
    expect(resultOf(intranet, `${claim}\nassuming: [{podCidrs: [10.244.0.0/16]}]`)).toBe("Proven");
    const outside = "from: {external: true}\nto: {namespaces: {}}\nverdict: Deny";
    const { source } = refuted(
      intranet,
      `${outside}\nassuming: [{podCidrs: [10.244.0.0/16], nodeCidrs: [0.0.0.0/1]}]`,
    ).counterexample.witness;
    expect(source.address.value >> 31n).toBe(1n);
  });

  it("S11.5: a claim about nothing is vacuous, and names the assumptions that contradict it", () => {
    const claim = "from: {namespaces: {matchLabels: {team: a}}}\nto: {namespaces: {}}\nverdict: Deny";
    const none =
      "assuming: [{every: namespace, has: {matchExpressions: [{key: team, operator: DoesNotExist}]}}]";
    const { proof } = proven(pci, `${claim}\n${none}`);
    expect(proof).toMatchObject({
      result: "Vacuous",
      contradicting: [{ text: "every namespace has !team" }],
    });
    expect(resultOf(pci, claim)).toBe("Refuted");
  });
});

describe("a guarantee of a cluster", () => {
  it("is read with what API servers add, and with what a change that breaks it becomes", () => {
    const text = `{apiVersion: tierwall.dev/v1, kind: Guarantee, metadata: {name: closed, uid: x, generation: 2, managedFields: []},
      spec: {from: [{external: true}], to: [{namespaces: {}}], verdict: Deny, onBreak: Refuse}, status: {conditions: []}}`;
    const { guarantees, diagnostics } = readGuarantees(text, "guarantee.yaml");
    expect(diagnostics).toEqual([]);
    expect(guarantees).toMatchObject([{ name: "closed", onBreak: "Refuse" }]);
    expect(readGuarantees(text.replace(", onBreak: Refuse", ""), "").guarantees[0]!.onBreak).toBe("Warn");
  });
});
