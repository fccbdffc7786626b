import { describe, expect, it } from "vitest";
import { readState } from "../../state/state.js";
import { minimize, type MinimizeOptions } from "./minimize.js";
import { replacedDocuments } from "./replaced-documents.js";
import { writtenPolicies } from "./written-policies.js";

const pods = ["web", "cart", "db"].map(
  (app, i) =>
    `{apiVersion: v1, kind: Pod, metadata: {name: ${app}, namespace: shop, labels: {app: ${app}}}, status: {podIP: 10.0.0.${i + 1}}}`,
);
const object = (apiVersion: string, kind: string, name: string, spec: string, more = "") =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}${more}}, spec: ${spec}}`;
const networkPolicy = (name: string, spec: string) =>
  object("networking.k8s.io/v1", "NetworkPolicy", name, spec, ", namespace: shop");
const clusterPolicy = (name: string, rules: string, more = "priority: 10") =>
  object(
    "policy.networking.k8s.io/v1alpha2",
    "ClusterNetworkPolicy",
    name,
    `{tier: Admin, ${more}, subject: {namespaces: {}}, ${rules}}`,
  );
const cilium = (name: string, spec: string) =>
  object("cilium.io/v2", "CiliumNetworkPolicy", name, spec, ", namespace: shop");
const app = (name: string) => `{podSelector: {matchLabels: {app: ${name}}}}`;
const namespace = (name: string) => `{namespaces: {matchLabels: {kubernetes.io/metadata.name: ${name}}}}`;

const stateOf = (...policies: readonly string[]) =>
  readState([{ file: "all.yaml", text: [...pods, ...policies].join("\n---\n") }]);
const minimized = (policies: readonly string[], options: MinimizeOptions = {}) => {
  const state = stateOf(...policies);
  expect(state.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return minimize(state, options);
};
const specs = ({ policies }: ReturnType<typeof minimize>) =>
  policies.map(({ definition }) => definition.object.value.spec);
const stepsOf = ({ changes }: ReturnType<typeof minimize>) =>
  changes.flatMap(({ steps }) =>
    steps.map(({ kind, policy, rule = "" }) => [kind, policy.name, rule].join(" ").trim()),
  );

describe("rules and policies", () => {
  it.each<readonly [what: string, policies: readonly string[], steps: readonly string[], spec: unknown]>([
    [
      "rules with the same ports become one with all peers",
      [
        networkPolicy(
          "a",
          `{podSelector: {}, ingress: [{from: [${app("web")}], ports: [{port: 80}]}, {from: [${app("db")}], ports: [{protocol: TCP, port: 80}]}]}`,
        ),
      ],
      ["merge-rules a ingress rule 1"],
      {
        ingress: [
          {
            from: [
              { podSelector: { matchLabels: { app: "web" } } },
              { podSelector: { matchLabels: { app: "db" } } },
            ],
          },
        ],
      },
    ],
    [
      "rules with the same peers become one with all ports",
      [
        networkPolicy(
          "a",
          `{podSelector: {}, ingress: [{from: [${app("web")}], ports: [{port: 80}]}, {from: [${app("web")}], ports: [{port: 443}]}]}`,
        ),
      ],
      ["merge-rules a ingress rule 1"],
      { ingress: [{ ports: [{ port: 80 }, { port: 443 }] }] },
    ],
    [
      "adjacent ports and CIDRs become ranges",
      [
        networkPolicy(
          "a",
          "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 192.0.2.0/25}}, {ipBlock: {cidr: 192.0.2.128/25}}], ports: [{port: 81}, {port: 80}, {port: 90, endPort: 99}, {port: 82, endPort: 85}]}]}",
        ),
      ],
      ["merge-entries a ingress rule 1", "merge-entries a ingress rule 1"],
      {
        ingress: [
          {
            from: [{ ipBlock: { cidr: "192.0.2.0/24" } }],
            ports: [
              { port: 80, endPort: 85 },
              { port: 90, endPort: 99 },
            ],
          },
        ],
      },
    ],
    [
      "a shadowed rule goes",
      [
        clusterPolicy(
          "a",
          `ingress: [{action: Deny, from: [{namespaces: {}}]}, {action: Accept, from: [${namespace("shop")}]}]`,
        ),
      ],
      ["remove-rule a ingress rule 2"],
      { ingress: [{ action: "Deny" }] },
    ],
    [
      "networks of several peers become one list",
      [
        clusterPolicy(
          "a",
          "egress: [{action: Deny, to: [{networks: [192.0.2.0/25]}, {networks: [192.0.2.128/25]}]}]",
        ),
      ],
      ["merge-entries a egress rule 1"],
      { egress: [{ to: [{ networks: ["192.0.2.0/24"] }] }] },
    ],
    [
      "policies of one priority and subject become one",
      [
        clusterPolicy("a", "egress: [{action: Deny, to: [{networks: [192.0.2.0/24]}]}]"),
        clusterPolicy(
          "b",
          "egress: [{action: Accept, to: [{networks: [198.51.100.0/24]}]}, {action: Deny, to: [{networks: [198.51.0.0/16]}]}]",
        ),
      ],
      ["merge-policies a"],
      { egress: [{ action: "Deny" }, { action: "Accept" }, { action: "Deny" }] },
    ],
    [
      "a policy that only isolates what another isolates goes",
      [
        networkPolicy("a", "{podSelector: {}}"),
        networkPolicy("b", "{podSelector: {matchLabels: {app: web}}}"),
      ],
      ["remove-policy b"],
      { podSelector: {} },
    ],
    [
      "Cilium: items with the same ports become one",
      [
        cilium(
          "a",
          '{endpointSelector: {}, ingress: [{fromEndpoints: [{matchLabels: {app: web}}], toPorts: [{ports: [{port: "80", protocol: TCP}]}]}, {fromEndpoints: [{matchLabels: {app: db}}], toPorts: [{ports: [{port: "80", protocol: TCP}]}]}]}',
        ),
      ],
      ["merge-rules a ingress rule 1"],
      { ingress: [{ fromEndpoints: [{ matchLabels: { app: "web" } }, { matchLabels: { app: "db" } }] }] },
    ],
    [
      "KEP: rules with the same peers become one",
      [
        object(
          "policy.networking.k8s.io/v1alpha1",
          "AdminNetworkPolicy",
          "a",
          "{priority: 5, subject: {namespaceSelector: {}}, ingress: [{action: Deny, l4Selector: {ports: [{port: 22}]}, from: [{namespaces: {notSelf: true}}]}, {action: Deny, l4Selector: {ports: [{port: 23}]}, from: [{namespaces: {notSelf: true}}]}]}",
        ),
      ],
      ["merge-rules a ingress rule 1"],
      { ingress: [{ l4Selector: { ports: [{ port: 22, endPort: 23 }] } }] },
    ],
    [
      "first draft: rules of one action can change places",
      [
        object(
          "netpol.networking.k8s.io/v1alpha1",
          "ClusterNetworkPolicy",
          "a",
          "{appliedTo: {namespaceSelector: {}}, ingress: [{action: Deny, from: [{namespaceSelector: {matchLabels: {a: b}}}]}, {action: Empower, from: [{namespaceSelector: {matchLabels: {e: f}}}]}, {action: Deny, from: [{namespaceSelector: {matchLabels: {c: d}}}]}]}",
        ),
      ],
      ["merge-rules a ingress rule 1"],
      { ingress: [{ action: "Deny" }, { action: "Empower" }] },
    ],
    [
      "AdminNetworkPolicy: port ranges",
      [
        object(
          "policy.networking.k8s.io/v1alpha1",
          "AdminNetworkPolicy",
          "a",
          "{priority: 5, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}], ports: [{portNumber: {port: 22}}, {portRange: {start: 23, end: 25}}]}]}",
        ),
      ],
      ["merge-entries a ingress rule 1"],
      { ingress: [{ ports: [{ portRange: { start: 22, end: 25 } }] }] },
    ],
  ])("%s", (_what, policies, steps, spec) => {
    const found = minimized(policies);
    expect(stepsOf(found)).toEqual(steps);
    expect(specs(found)).toMatchObject([spec]);
    expect([found.undone, found.verification.here.changedPairs]).toEqual([[], 0]);
    const everywhere = minimized(policies, { everywhere: true });
    expect([everywhere.after, everywhere.undone]).toEqual([found.after, []]);
  });

  it.each<readonly [what: string, policies: readonly string[]]>([
    [
      "rules with another action between them",
      [
        clusterPolicy(
          "a",
          `ingress: [${[
            ["Deny", 22, 23],
            ["Accept", 20, 30],
            ["Deny", 30, 40],
          ]
            .map(
              ([action, start, end]) =>
                `{action: ${action}, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {range: {start: ${start}, end: ${end}}}}}]}`,
            )
            .join(", ")}]`,
        ),
      ],
    ],
    [
      "policies with another one of their priority between them",
      [
        clusterPolicy("a", "egress: [{action: Deny, to: [{networks: [192.0.2.0/24]}]}]"),
        clusterPolicy("b", "egress: [{action: Pass, to: [{networks: [192.168.0.0/17]}]}]").replace(
          "subject: {namespaces: {}}",
          "subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}",
        ),
        clusterPolicy("c", "egress: [{action: Deny, to: [{networks: [192.168.0.0/16]}]}]"),
      ],
    ],
    [
      "rules that match nothing in this cluster",
      [
        networkPolicy(
          "a",
          `{podSelector: {}, ingress: [{from: [${app("none")}], ports: [{port: 1}]}, {from: [${app("web")}], ports: [{port: 2}]}]}`,
        ),
      ],
    ],
    [
      "policies with different labels",
      [
        networkPolicy("a", `{podSelector: {}, ingress: [{from: [${app("web")}], ports: [{port: 1}]}]}`),
        networkPolicy(
          "b",
          `{podSelector: {}, ingress: [{from: [${app("db")}], ports: [{port: 2}]}]}`,
        ).replace("name: b", "labels: {release: two}, name: b"),
      ],
    ],
    [
      "a policy that is the only one to isolate some pods",
      [
        networkPolicy("a", `{podSelector: {}}`),
        networkPolicy("b", `{podSelector: {}, policyTypes: [Egress]}`),
      ],
    ],
    [
      "the last item of a section of Cilium, which isolates",
      [
        cilium("a", "{endpointSelector: {}, ingress: [{fromEntities: [all]}]}"),
        cilium("b", "{endpointSelector: {matchLabels: {app: web}}, ingress: [{fromEndpoints: [{}]}]}"),
      ],
    ],
  ])("stay as they are: %s", (_what, policies) => {
    expect(stepsOf(minimized(policies))).toEqual([]);
  });

  it("removes only one of two redundant rules that need each other", () => {
    const rule = (first: number, last: number) => `{ports: [{port: ${first}, endPort: ${last}}]}`;
    const rules = [rule(1, 1), rule(1, 2), rule(2, 3)].join(", ");
    const found = minimized([networkPolicy("a", `{podSelector: {}, ingress: [${rules}]}`)]);
    expect([stepsOf(found), found.undone]).toEqual([
      ["remove-rule a ingress rule 1", "merge-rules a ingress rule 2"],
      [],
    ]);
  });

  it("removes what this cluster does not use on demand", () => {
    const policies = [networkPolicy("a", `{podSelector: {}, ingress: [{from: [${app("none")}]}]}`)];
    expect(specs(minimized(policies, { unused: true }))).toMatchObject([{ ingress: [] }]);
  });

  it("S2.1: keeps the isolation of egress when the last egress rule goes", () => {
    const everything = networkPolicy("all", "{podSelector: {}, policyTypes: [Egress], egress: [{}]}");
    const found = minimized([
      everything,
      networkPolicy("b", `{podSelector: {matchLabels: {app: web}}, egress: [{to: [${app("db")}]}]}`),
    ]);
    expect(specs(found)).toMatchObject([{}, { egress: [], policyTypes: ["Ingress", "Egress"] }]);
  });
});

describe("what is left alone", () => {
  const duplicates = `[{from: [${app("web")}]}, {from: [${app("web")}]}]`;
  it.each([
    [
      "a policy that is not enforced",
      networkPolicy("a", `{podSelector: {}, ingress: ${duplicates}}`).replace(
        "name: a",
        "annotations: {tierwall.dev/enforcement: shadow}, name: a",
      ),
      "not enforced",
    ],
    [
      "L7 rules",
      cilium(
        "a",
        '{endpointSelector: {}, ingress: [{toPorts: [{ports: [{port: "80", protocol: TCP}], rules: {http: [{path: /}]}}]}]}',
      ),
      "L7",
    ],
    [
      "what is not understood",
      networkPolicy("a", `{podSelector: {}, ingress: [{new: 1}, {new: 1}]}`).replace(
        "name: a",
        "uid: u, name: a",
      ),
      "not understood",
    ],
  ])("%s", (_what, policy, why) => {
    const found = minimized([policy]);
    expect(found.changes).toEqual([]);
    expect(found.leftAlone.map((left) => left.why)).toEqual([expect.stringContaining(why)]);
  });

  it("a rule that only a policy which is not enforced repeats", () => {
    const rule = `{podSelector: {}, ingress: [{from: [${app("web")}]}]}`;
    const shadow = networkPolicy("a", rule).replace(
      "name: a",
      "annotations: {tierwall.dev/enforcement: shadow}, name: a",
    );
    expect(stepsOf(minimized([shadow, networkPolicy("b", rule)]))).toEqual([]);
  });
});

describe("texts", () => {
  const text = `# Pods of the shop
${pods.join("\n---\n")}
---
# About the first policy
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: a, namespace: shop}
spec:
  podSelector: {} # everything
  ingress:
    # from web
    - from: [${app("web")}]
      ports: [{port: 80}]
    - from: # from db
        - ${app("db")} # the database
      ports: [{port: 80}]
---
# About the second policy
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: b, namespace: shop}
spec:
  podSelector: {}
  ingress: [{ports: [{port: 443}]}]
---
# Not a policy
apiVersion: v1
kind: ConfigMap
metadata: {name: kept}
`;
  const found = () => minimize(readState([{ file: "all.yaml", text }]));

  it("keep comments, and the names of what was merged", () => {
    const written = writtenPolicies(found());
    for (const comment of [
      "# About the first policy\napiVersion",
      "    # from web\n",
      "from db",
      "the database",
      "# About the second policy",
      "# Merged: NetworkPolicy shop/b",
    ])
      expect(written).toContain(comment);
    expect(readState([{ file: "new.yaml", text: written }]).policies.map(({ name }) => name)).toEqual(["a"]);
  });

  it("change only documents of policies that change", () => {
    const replaced = replacedDocuments(found(), [{ file: "all.yaml", text }]);
    if (!replaced.ok) throw new Error(replaced.problem);
    const now = replaced.changed[0]!.text;
    expect(now.startsWith(text.slice(0, text.indexOf("# About the first")))).toBe(true);
    expect(now.endsWith(text.slice(text.indexOf("# Not a policy")))).toBe(true);
    expect(now).not.toContain("name: b");
    expect(minimize(readState([{ file: "all.yaml", text: now }])).changes).toEqual([]);
  });

  it.each([
    ["JSON", (policy: object) => JSON.stringify(policy)],
    ["a list", (policy: object) => JSON.stringify({ apiVersion: "v1", kind: "List", items: [policy] })],
  ])("are not changed in %s", (_what, write) => {
    const rule = { ports: [{ port: 80 }, { port: 80 }] };
    const policy = {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "a", namespace: "shop" },
      spec: { podSelector: {}, ingress: [rule] },
    };
    const sources = [{ file: "policy.yaml", text: write(policy) }];
    const result = minimize(readState([...sources, { file: "pods.yaml", text: pods.join("\n---\n") }]));
    expect(result.changes).toHaveLength(1);
    expect(replacedDocuments(result, sources)).toMatchObject({ ok: false });
  });
});
