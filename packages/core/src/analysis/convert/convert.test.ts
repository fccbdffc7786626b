import { describe, expect, it } from "vitest";
import { world } from "../../../testing/world.js";
import { parseCidr } from "../../net/cidr.js";
import { readState } from "../../state/state.js";
import { convert } from "./convert.js";
import { isProven } from "./proof.js";
import type { Target } from "./targets.js";

const namespace = (name: string, labels = "") =>
  `---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}, labels: {${labels}}}\n`;
const pod = (name: string, address: string, labels = "") => {
  const [ns, own] = name.split("/");
  return `---\napiVersion: v1\nkind: Pod\nmetadata: {name: ${own}, namespace: ${ns}, labels: {${labels}}}\nstatus: {podIP: ${address}}\n`;
};
const node =
  "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {addresses: [{type: InternalIP, address: 192.168.0.1}]}\n";

const cluster = [
  namespace("shop", "tenant: foo"),
  namespace("pay", "tenant: bar"),
  namespace("tools"),
  pod("shop/web", "10.0.0.1", "app: web"),
  pod("shop/db", "10.0.0.2", "app: db"),
  pod("pay/api", "10.0.0.3", "app: api"),
  pod("tools/scan", "10.0.0.4", "app: scan"),
  node,
].join("");

const state = (policies: string) =>
  world(`${cluster}---\n${policies}`, { facts: { podCidrs: [parseCidr("10.0.0.0/16")!] } }).state;
const converted = (policies: string, to: Target = "cluster-network-policy") =>
  convert(state(policies), { to });
/** Proven, and this. */
function proven(policies: string, to: Target = "cluster-network-policy") {
  const conversion = converted(policies, to);
  expect(conversion.refusals).toEqual([]);
  expect(conversion.proof && isProven(conversion.proof)).toBe(true);
  return conversion;
}
const named = ({ policies }: ReturnType<typeof convert>) =>
  policies.map(({ value }) => {
    const { metadata, spec } = value as {
      metadata: { name: string; namespace?: string };
      spec: { priority?: number };
    };
    return (
      [metadata.namespace, metadata.name].filter(Boolean).join("/") +
      (spec.priority === undefined ? "" : ` ${spec.priority}`)
    );
  });

const admin = (
  name: string,
  priority: number,
  rules: string,
) => `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: ${name}}
spec:
  priority: ${priority}
  subject: {namespaces: {}}
  ${rules}
`;
const denyWeb =
  "ingress: [{action: Deny, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}]}]";
const passWeb = denyWeb.replace("Deny", "Pass");

describe("comments about whole policies and files", () => {
  const long = `${"a long line ".repeat(12)}stays one line`;
  const tenants = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: tenants}
spec:
  priority: 900
  subject: {namespaceSelector: {}}
  ingress: [{action: Deny, from: [{namespaces: {notSameLabels: [tenant]}}], l4Selector: {allPorts: true}}]
`;
  const ofFile = (text: string) => {
    const sources = [
      { file: "cluster.yaml", text: cluster },
      { file: "policies.yaml", text },
    ];
    return convert(readState(sources), { to: "cluster-network-policy" });
  };
  const occurrences = (text: string, part: string) => text.split(part).length - 1;

  it("a policy that becomes several keeps its comment on the first of them", () => {
    const { text, policies } = ofFile(`# About tenants.\n${tenants}`);
    expect(policies.length).toBeGreaterThan(1);
    expect(occurrences(text, "# About tenants.")).toBe(1);
  });

  it("the header of a file with several policies is at the top, once, and not wrapped", () => {
    const other = tenants.replace("tenants", "first").replace("900", "800");
    const { text } = ofFile(`# The header.\n# ${long}\n${other}---\n# About the other.\n${tenants}`);
    expect(text.startsWith(`# The header.\n# ${long}\n---\n`)).toBe(true);
    for (const comment of ["# The header.", long, "# About the other."])
      expect(occurrences(text, comment)).toBe(1);
  });
});

describe("converting to ClusterNetworkPolicy", () => {
  it("keeps names, comments, priorities and rules", () => {
    const text = `# Who may scrape.
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: monitoring # the name stays
  labels: {team: platform}
spec:
  priority: 7
  # everyone
  subject:
    namespaces: {}
  ingress:
  # first the good ones
  - name: tools
    action: Allow
    from:
    # tools are ours
    - namespaces: {matchLabels: {kubernetes.io/metadata.name: tools}}
    ports:
    - portNumber: {protocol: TCP, port: 9090}
    - portRange: {protocol: UDP, start: 1, end: 9} # low ones
    - namedPort: metrics
  - action: Deny
    from: [{namespaces: {}}]
    ports: [{portNumber: {port: 9090}}]
`;
    expect(proven(text).text).toBe(`# Who may scrape.
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata:
  name: monitoring # the name stays
  labels:
    team: platform
spec:
  tier: Admin
  priority: 7
  # everyone
  subject:
    namespaces: {}
  ingress:
    # first the good ones
    - name: tools
      action: Accept
      from:
        # tools are ours
        - namespaces:
            matchLabels:
              kubernetes.io/metadata.name: tools
      protocols:
        - tcp:
            destinationPort:
              number: 9090
        # low ones
        - udp:
            destinationPort:
              range:
                start: 1
                end: 9
        - destinationNamedPort: metrics
    - action: Deny
      from:
        - namespaces: {}
      protocols:
        - tcp:
            destinationPort:
              number: 9090
`);
  });

  it("makes equal priorities distinct, in the order in which they were evaluated", () => {
    const { remarks, ...conversion } = proven(
      [admin("b", 5, denyWeb), admin("a", 5, passWeb), admin("c", 6, denyWeb)].join("---\n"),
    );
    expect(named({ remarks, ...conversion })).toEqual(["a 5", "b 6", "c 7"]);
    expect(remarks).toEqual([
      "AdminNetworkPolicy b (6, not 5), AdminNetworkPolicy c (7, not 6): another priority, to keep the order",
    ]);
  });

  it("leaves released ClusterNetworkPolicies alone, and goes between them", () => {
    const there = admin("x", 5, denyWeb)
      .replace("v1alpha1", "v1alpha2")
      .replace("AdminNetworkPolicy", "ClusterNetworkPolicy")
      .replace("  priority", "  tier: Admin\n  priority");
    const both = `${there}---\n${admin("x", 5, passWeb)}`;
    expect(named(proven(both))).toEqual(["x-2 6"]);
  });

  it("S3.10: writes the version that the policies of the input have", () => {
    const inVersion = (version: string) =>
      admin("x", 5, denyWeb)
        .replace("v1alpha1", version)
        .replace("AdminNetworkPolicy", "ClusterNetworkPolicy")
        .replace("  priority", "  tier: Admin\n  priority");
    const written = (version: string) =>
      proven(`${inVersion(version)}---\n${admin("z", 6, passWeb)}`).policies.map(
        ({ value }) => value.apiVersion,
      );
    expect(written("v1alpha2")).toEqual(["policy.networking.k8s.io/v1alpha2"]);
    expect(written("v1beta1")).toEqual(["policy.networking.k8s.io/v1beta1"]);
  });

  it("S3.10: refuses a policy in a version that is not known", () => {
    const unknown = admin("x", 5, denyWeb).replace("v1alpha1", "v1");
    const { state } = world(`${cluster}---\n${unknown}`, { provenance: "cluster" });
    const { refusals } = convert(state, { to: "cluster-network-policy" });
    expect(refusals.map(({ message }) => message).join()).toContain(
      "version `policy.networking.k8s.io/v1` is not known",
    );
  });

  it("rewrites those too where there is no room", () => {
    const at = (name: string, priority: number) =>
      admin(name, priority, denyWeb)
        .replace("v1alpha1", "v1alpha2")
        .replace("AdminNetworkPolicy", "ClusterNetworkPolicy")
        .replace("  priority", "  tier: Admin\n  priority");
    const conversion = proven([at("a", 5), admin("b", 5, passWeb), at("c", 6)].join("---\n"));
    expect(named(conversion)).toEqual(["a 5", "b 6", "c 7"]);
    expect(conversion.remarks[0]).toContain("no room");
  });

  it("counts the KEP's priorities the other way round, and 0 as the baseline", () => {
    const kep = (name: string, priority: number) => `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: ${name}}
spec:
  priority: ${priority}
  subject: {namespaceSelector: {}}
  ingress: [{action: Deny, l4Selector: {allPorts: true}, from: [{namespaces: {namespaceSelector: {matchLabels: {tenant: bar}}}}]}]
`;
    const conversion = proven([kep("high", 900), kep("low", 10), kep("base", 0)].join("---\n"));
    expect(named(conversion)).toEqual(["high 100", "low 990", "base 1000"]);
    expect(conversion.text.match(/tier: \w+/g)).toEqual(["tier: Admin", "tier: Admin", "tier: Baseline"]);
  });

  it("splits what is more than the limits, and means the same", () => {
    const peers = Array.from({ length: 30 }, (_, i) => `{namespaces: {matchLabels: {n: "${i}"}}}`).join();
    const ports = Array.from({ length: 60 }, (_, i) => `{portNumber: {port: ${i + 1}}}`).join();
    const rules = Array.from(
      { length: 24 },
      (_, i) => `{action: Deny, from: [{namespaces: {}}], ports: [{portNumber: {port: ${i + 100}}}]}`,
    );
    const conversion = proven(
      admin(
        "many",
        3,
        `ingress: [{name: big, action: Allow, from: [${peers}], ports: [${ports}]}, ${rules.join()}]`,
      ),
    );
    expect(named(conversion)).toEqual(["many-part-1 3", "many-part-2 4"]);
    expect(conversion.text.match(/name: big-\d/g)).toEqual(
      ["1", "2", "3", "4", "5", "6"].map((n) => `name: big-${n}`),
    );
  });

  const tenants = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: tenants}
spec:
  priority: 50
  subject: {namespaceSelector: {matchExpressions: [{key: tenant, operator: Exists}]}}
  ingress:
  - {action: Pass, l4Selector: {allPorts: true}, from: [{namespaces: {sameLabels: [tenant]}}]}
  - {action: Deny, l4Selector: {allPorts: true}, from: [{namespaces: {namespaceSelector: {}}}]}
`;

  it("writes one policy for each tenant, and rules for everyone once", () => {
    const conversion = proven(tenants);
    expect(named(conversion)).toEqual(["tenants-1-foo 950", "tenants-1-bar 950", "tenants-2 951"]);
    expect(conversion.remarks).toEqual([
      "AdminNetworkPolicy tenants: compares peers with its subject, and becomes one policy for each tenant that exists " +
        "now (foo, bar). Convert again when tenants are added or removed.",
    ]);
    expect(conversion.text).toContain("# For tenant=foo, one of 2 at the time of the conversion.");
  });

  it("writes one for namespaces without the label, where rules mention them", () => {
    const conversion = proven(
      tenants
        .replace("{matchExpressions: [{key: tenant, operator: Exists}]}", "{}")
        .replace("sameLabels", "notSameLabels")
        .replace("Pass", "Deny"),
    );
    expect(named(conversion).slice(0, 3)).toEqual([
      "tenants-1-foo 950",
      "tenants-1-bar 950",
      "tenants-1-no-tenant 950",
    ]);
  });

  it("proves nothing without pods, and reports it", () => {
    const { proof } = convert(world(tenants).state, { to: "cluster-network-policy" });
    expect(proof?.pods).toBe(0);
    expect(isProven(proof!)).toBe(false);
  });

  const draft = (name: string, rules: string) => `apiVersion: netpol.networking.k8s.io/v1alpha1
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec: {appliedTo: {namespaceSelector: {}}, ingress: [${rules}]}
`;
  const from = (labels: string) => `from: [{namespaceSelector: {matchLabels: {${labels}}}}]`;

  it("puts the first draft's Empower, Deny and Allow in order, and allows what is empowered before it is passed", () => {
    const conversion = proven(
      [
        draft(
          "guard",
          `{action: Deny, ${from("tenant: bar")}}, {action: Empower, ${from("tenant: bar")}, ports: [{port: 80}]}`,
        ),
        draft("open", `{action: Allow, ${from("tenant: bar")}, ports: [{port: 80}, {port: 81}]}`),
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed, namespace: shop}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n",
      ].join("---\n"),
    );
    expect(named(conversion)).toEqual(["open-empowered 0", "guard-empower 1", "guard-deny 2", "open 3"]);
  });

  it("writes a default policy as NetworkPolicies for ingress, and as a baseline for egress", () => {
    const conversion = proven(`apiVersion: netpol.networking.k8s.io/v1alpha1
kind: ClusterDefaultNetworkPolicy
metadata: {name: closed}
spec:
  appliedTo: {namespaceSelector: {matchLabels: {tenant: foo}}}
  ingress: [{from: [{namespaces: {scope: Self}}]}]
  egress: [{to: [{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {matchLabels: {app: web}}, ingress: [{}]}
`);
    expect(named(conversion)).toEqual(["closed-allow 999", "closed-deny 1000", "shop/closed"]);
    expect(conversion.policies[2]!.value.spec).toMatchObject({
      podSelector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] },
    });
  });

  const cilium = (name: string, body: string) => `apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: ${name}}
spec:
  endpointSelector: {}
  ${body}
`;

  it.each<[string, string, readonly string[]]>([
    [
      "denies at the end of tier admin",
      cilium(
        "deny",
        "enableDefaultDeny: {ingress: false}\n  ingressDeny: [{fromEndpoints: [{matchLabels: {app: web}}]}]",
      ),
      ["deny 1000"],
    ],
    [
      "allows that isolate no pods, after the denies",
      cilium(
        "allow",
        "enableDefaultDeny: {egress: false}\n  egress: [{toEndpoints: [{}], toPorts: [{ports: [{port: '53'}]}]}]",
      ),
      ["allow 1000"],
    ],
    [
      "allows that isolate, as NetworkPolicies",
      cilium("closed", "ingress: [{fromEndpoints: [{matchLabels: {app: web}}]}]"),
      ["shop/closed", "pay/closed", "tools/closed"],
    ],
  ])("Cilium: writes %s", (_, policy, expected) => expect(named(proven(policy))).toEqual(expected));

  it.each<[string, string, string]>([
    [
      "L7 rules",
      cilium(
        "l7",
        "ingress: [{toPorts: [{ports: [{port: '80', protocol: TCP}], rules: {http: [{path: /}]}}]}]",
      ),
      "`spec.ingress[0]` inspects requests (http), which no other API can",
    ],
    [
      "service accounts",
      cilium(
        "account",
        "ingress: [{fromEndpoints: [{matchLabels: {io.cilium.k8s.policy.serviceaccount: robot}}]}]",
      ),
      "`spec.ingress[0]` is about all pods with serviceaccount=robot, which a NetworkPolicy cannot express",
    ],
    [
      "ICMP by type",
      cilium("ping", "enableDefaultDeny: {ingress: false}\n  ingress: [{icmps: [{fields: [{type: 8}]}]}]"),
      "`spec.ingress[0]` matches ICMP by type, which the API cannot express",
    ],
    [
      "sources by address",
      cilium("cidr", "enableDefaultDeny: {ingress: false}\n  ingressDeny: [{fromCIDR: [192.0.2.0/24]}]"),
      "`spec.ingressDeny[0]` names sources by address, which the API can do for egress only",
    ],
    [
      "nodes by nearness",
      cilium("nodes", "enableDefaultDeny: {egress: false}\n  egressDeny: [{toEntities: [remote-node]}]"),
      "`spec.egressDeny[0]` is about the nodes other than that of each pod, which the API cannot name",
    ],
  ])("refuses %s, with the place", (_, policy, message) => {
    const { refusals, text, proof } = converted(policy);
    expect(refusals.map((refusal) => refusal.message)).toEqual([message]);
    expect(refusals[0]!.place?.line).toBeGreaterThan(0);
    expect([text, proof]).toEqual(["", undefined]);
  });

  it("is not proven where the API cannot express a rule that affects connections", () => {
    const { proof } = converted(draft("all", "{action: Deny}"));
    expect(proof?.changedPairs).toBeGreaterThan(0);
    expect(proof?.examples.map(({ source, before, after }) => [source.kind, before, after])).toContainEqual([
      "external",
      "Deny",
      "Allow",
    ]);
  });

  it("keeps Undecided undecided", () => {
    const names =
      "egress: [{action: Allow, to: [{domainNames: [example.com]}]}, {action: Deny, to: [{networks: [0.0.0.0/0]}]}]";
    const { after } = proven(admin("names", 1, names));
    expect(after?.tiers.egress[0]?.rules.map(({ peers }) => peers[0]?.kind)).toEqual(["domains", "networks"]);
  });

  it("converts some policies, and keeps the others where they are", () => {
    const both = state([admin("a", 5, passWeb), admin("b", 5, denyWeb)].join("---\n"));
    const conversion = convert(both, { to: "cluster-network-policy", only: ({ name }) => name === "b" });
    expect(conversion.replaced.map(({ name }) => name)).toEqual(["b"]);
    expect(named(conversion)).toEqual(["b 6"]);
    expect(isProven(conversion.proof!)).toBe(true);
  });

  it("refuses what is not understood", () => {
    const live = admin("newer", 1, "ingress: [{action: Deny, from: [{galaxies: {}}]}]").replace(
      "metadata: {name: newer}",
      "metadata: {name: newer, uid: u1}",
    );
    expect(converted(live).refusals[0]?.message).toBe("`spec.ingress[0]` has parts that are not understood");
    const elsewhere = live.replace("subject: {namespaces: {}}", "subject: {galaxies: {}}");
    expect(converted(elsewhere).refusals[0]?.message).toBe(
      "this policy is not understood, and not enforced here",
    );
  });

  it("has nothing to do where there is nothing", () => {
    expect(convert(world(cluster).state, { to: "cluster-network-policy" })).toMatchObject({
      replaced: [],
      policies: [],
      text: "",
      refusals: [],
    });
  });
});

describe("converting to the v1alpha1 API", () => {
  const cnp = (
    name: string,
    tier: string,
    priority: number,
    subject: string,
    rules: string,
  ) => `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec:
  tier: ${tier}
  priority: ${priority}
  subject: ${subject}
  ${rules}
`;
  const everyone = "{namespaces: {}}";
  const denyPort =
    "ingress: [{action: Deny, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 22}}}]}]";

  it("writes AdminNetworkPolicies, and one baseline of all that have one subject", () => {
    const conversion = proven(
      [
        cnp("guard", "Admin", 10, everyone, denyPort),
        cnp("later", "Baseline", 20, everyone, denyPort),
        cnp("first", "Baseline", 10, everyone, denyPort.replace("Deny", "Pass")),
      ].join("---\n"),
      "network-policy-api-v1alpha1",
    );
    expect(named(conversion)).toEqual(["guard 10", "default"]);
    expect(conversion.text).toContain("portNumber:\n            protocol: TCP\n            port: 22");
    // Behind the baseline there is nothing: to pass is to allow.
    expect(conversion.text.match(/action: \w+/g)).toEqual(["action: Deny", "action: Allow", "action: Deny"]);
  });

  it("refuses a baseline with several subjects", () => {
    const { refusals } = converted(
      [
        cnp("a", "Baseline", 1, everyone, denyPort),
        cnp("b", "Baseline", 2, "{namespaces: {matchLabels: {tenant: foo}}}", denyPort),
      ].join("---\n"),
      "network-policy-api-v1alpha1",
    );
    expect(refusals.map(({ message }) => message)).toEqual([
      "this policy has another subject than ClusterNetworkPolicy a, and there is only one BaselineAdminNetworkPolicy",
    ]);
  });

  it("takes an existing baseline in", () => {
    const baseline = admin("default", 0, denyWeb)
      .replace("AdminNetworkPolicy", "BaselineAdminNetworkPolicy")
      .replace("  priority: 0\n", "");
    const conversion = proven(
      [cnp("a", "Baseline", 1, everyone, denyPort), baseline].join("---\n"),
      "network-policy-api-v1alpha1",
    );
    expect(conversion.replaced.map(({ kind }) => kind)).toEqual([
      "ClusterNetworkPolicy",
      "BaselineAdminNetworkPolicy",
    ]);
    expect(named(conversion)).toEqual(["default"]);
  });
});

describe("converting to NetworkPolicy", () => {
  const denyTenant = admin(
    "guard",
    1,
    "ingress: [{action: Deny, from: [{namespaces: {matchLabels: {tenant: bar}}}]}]",
  ).replace("{namespaces: {}}", "{namespaces: {matchLabels: {tenant: foo}}}");

  it("allows the rest, and excepts the range of pods from the outside", () => {
    const conversion = proven(denyTenant, "network-policy");
    expect(conversion.text).toBe(`apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: cluster-policies-ingress-all
  namespace: shop
spec:
  podSelector: {}
  policyTypes:
    - Ingress
  ingress:
    - from:
        - namespaceSelector:
            matchExpressions:
              - key: kubernetes.io/metadata.name
                operator: In
                values:
                  - shop
                  - tools
        - ipBlock:
            cidr: 0.0.0.0/1
            except:
              - 10.0.0.0/16
        - ipBlock:
            cidr: 128.0.0.0/1
`);
  });

  it("refuses to allow pods together with external addresses, where the pod range is unknown", () => {
    const { refusals } = convert(world(`${cluster}---\n${denyTenant}`).state, { to: "network-policy" });
    expect(refusals.map(({ hint }) => hint)).toEqual([
      "Set the address range of pods with `--pod-cidr`: it is then excluded.",
    ]);
  });

  it("empties NetworkPolicies that allow too much, and adds to those that allow too little", () => {
    const policies = (action: string) =>
      `${denyTenant.replace("Deny", action)}---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: [{namespaceSelector: {}}]}]}
`;
    const less = proven(policies("Deny"), "network-policy");
    expect(named(less)).toEqual([
      "shop/web",
      "shop/cluster-policies-ingress-web",
      "shop/cluster-policies-ingress-db",
    ]);
    expect(less.remarks[0]).toContain("NetworkPolicy shop/web: allows what cluster-wide policies deny");
    const more = proven(
      policies("Allow").replace("namespaceSelector: {}", "podSelector: {}"),
      "network-policy",
    );
    expect(named(more)).toEqual(["shop/cluster-policies-ingress-web"]);
  });

  it("is not proven where ICMP is allowed apart from ports", () => {
    const ports = denyTenant.replace("}}}]}]", "}}}], ports: [{portNumber: {port: 22}}]}]");
    const { proof, remarks } = converted(ports, "network-policy");
    expect(proof?.examples[0]).toMatchObject({ before: "Allow", after: "Deny" });
    expect(proof?.ports.ranges(proof.examples[0]!.ports, "TCP")).toEqual([]);
    expect(remarks.join()).toContain("NetworkPolicies allow ICMP with every port or not at all");
  });
});
