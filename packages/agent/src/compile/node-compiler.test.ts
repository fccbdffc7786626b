import { describe, expect, it } from "vitest";
import { readState } from "@tierwall/core/state";
import { rulesetText } from "../ruleset/text.js";
import { modesOf } from "../observe/decider.js";
import { nodeWorld, nodeYaml, plainOptions, podYaml } from "../../testing/node-world.js";
import type { Journey } from "../../testing/walk-ruleset.js";
import { NodeCompiler } from "./node-compiler.js";

const cluster = [
  nodeYaml("here", "192.168.0.1"),
  nodeYaml("there", "192.168.0.2"),
  podYaml("shop/web", "10.0.0.1,fd00::1", {
    labels: "team: red",
    ports: "{ name: http, containerPort: 8080 }",
  }),
  podYaml("shop/cart", "10.0.0.2,fd00::2", {
    node: "there",
    labels: "team: red",
    ports: "{ name: http, containerPort: 81 }",
  }),
  podYaml("play/game", "10.0.0.3,fd00::3", { node: "there", labels: "team: blue" }),
].join("");

const policy = (kind: string, spec: string, metadata = "") => {
  const apiVersion = kind.startsWith("Cilium") ? "cilium.io/v2" : "networking.k8s.io/v1";
  return `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: p, namespace: shop${metadata} }\nspec: ${spec}\n`;
};
const networkPolicy = (spec: string, metadata = "") =>
  policy("NetworkPolicy", `{ podSelector: { matchLabels: { app: web } }, ${spec} }`, metadata);
const cilium = (spec: string) =>
  policy("CiliumNetworkPolicy", `{ endpointSelector: { matchLabels: { app: web } }, ${spec} }`);
const admin = (rules: string) => `---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: { name: guard }
spec: { priority: 5, subject: { namespaces: {} }, ${rules} }
`;
const kep = (rules: string) => `---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: { name: tenants }
spec: { priority: 50, subject: { namespaceSelector: {} }, ${rules} }
`;

const verdictOf = ({ verdict }: Journey) => verdict;

describe("S7.13: external addresses of one family", () => {
  const rule = (section: string, family: number) =>
    `${section}: [{ fromEndpoints: [{ matchLabels: { "reserved:world-ipv${family}": "" } }] }]`;

  it.each([
    [rule("ingress", 4), "accept", "drop"],
    [rule("ingress", 6), "drop", "accept"],
    [`${rule("ingressDeny", 4)}, ingress: [{ fromEntities: [all] }]`, "drop", "accept"],
    [`${rule("ingressDeny", 6)}, ingress: [{ fromEntities: [all] }]`, "accept", "drop"],
  ])("%s: IPv4 %s, IPv6 %s", (spec, ipv4, ipv6) => {
    const { send } = nodeWorld(cluster + cilium(spec));
    expect(verdictOf(send("203.0.113.7 -> 10.0.0.1:80/TCP"))).toBe(ipv4);
    expect(verdictOf(send("2001:db8::7 -> [fd00::1]:80/TCP"))).toBe(ipv6);
  });
});

describe("S9.7: policies of other APIs", () => {
  const deny = networkPolicy("policyTypes: [Ingress, Egress]");
  const calico = `---
apiVersion: projectcalico.org/v3
kind: GlobalNetworkPolicy
metadata: { name: open }
spec: { selector: all(), types: [Ingress, Egress], ingress: [{ action: Allow }], egress: [{ action: Allow }] }
`;

  it("never become rules, which would allow what the policies of the cluster deny", () => {
    const own = nodeWorld(cluster + deny);
    const both = nodeWorld(cluster + deny + calico);
    for (const packet of ["10.0.0.2 -> 10.0.0.1:80/TCP", "fd00::1 -> [fd00::2]:80/TCP"])
      expect([verdictOf(own.send(packet)), verdictOf(both.send(packet))]).toEqual(["drop", "drop"]);
    expect(both.ruleset).toEqual(own.ruleset);
  });

  it("cost no second compilation while nothing changes", () => {
    const { cluster: read, tiers } = readState([{ file: "test.yaml", text: cluster + deny + calico }]);
    expect(tiers.ingress.map(({ name }) => name)).toContain("foreign");
    const compiler = new NodeCompiler(plainOptions, modesOf);
    const [first, second] = [compiler.compile(read, tiers), compiler.compile(read, tiers)];
    expect(second.book).toBe(first.book);
  });
});

describe("which packets are allowed", () => {
  it.each([
    {
      of: "pods by labels, IPv4 and IPv6 alike",
      policies: networkPolicy("ingress: [{ from: [{ podSelector: { matchLabels: { app: cart } } }] }]"),
      accept: ["10.0.0.2 -> 10.0.0.1:80/TCP", "fd00::2 -> [fd00::1]:80/TCP", "10.0.0.1 -> 10.0.0.3:80/TCP"],
      drop: [
        "10.0.0.3 -> 10.0.0.1:80/TCP",
        "203.0.113.1 -> 10.0.0.1:80/TCP",
        "192.168.0.2 -> 10.0.0.1:80/TCP",
      ],
    },
    {
      of: "S1.8: a port by name, as the destination calls it: coming in, the subject does",
      policies: networkPolicy("ingress: [{ ports: [{ port: http }] }]"),
      accept: ["10.0.0.2 -> 10.0.0.1:8080/TCP"],
      drop: ["10.0.0.2 -> 10.0.0.1:81/TCP", "10.0.0.2 -> 10.0.0.1:8080/UDP"],
    },
    {
      of: "S1.8: for egress it is the peer's, and other endpoints than pods have none",
      policies: networkPolicy("policyTypes: [Egress], egress: [{ ports: [{ port: http }] }]"),
      accept: ["10.0.0.1 -> 10.0.0.2:81/TCP"],
      drop: [
        "10.0.0.1 -> 10.0.0.2:8080/TCP",
        "10.0.0.1 -> 10.0.0.3:81/TCP",
        "10.0.0.1 -> 203.0.113.1:81/TCP",
      ],
    },
    {
      of: "S2.3: a block of addresses, pods in it and exceptions",
      policies: networkPolicy(
        "policyTypes: [Egress], egress: [{ to: [{ ipBlock: { cidr: 0.0.0.0/0, except: [10.0.0.3/32, 203.0.113.8/29] } }] }]",
      ),
      accept: [
        "10.0.0.1 -> 203.0.113.1:80/TCP",
        "10.0.0.1 -> 10.0.0.2:80/TCP",
        "10.0.0.1 -> 192.168.0.2:80/TCP",
      ],
      drop: [
        "10.0.0.1 -> 203.0.113.9:80/TCP",
        "10.0.0.1 -> 10.0.0.3:80/TCP",
        "fd00::1 -> [2001:db8::1]:80/TCP",
      ],
    },
    {
      of: "S7.5: a block that reaches external addresses only",
      policies: cilium("egress: [{ toCIDR: [0.0.0.0/0] }]"),
      accept: ["10.0.0.1 -> 203.0.113.1:80/TCP"],
      drop: ["10.0.0.1 -> 10.0.0.2:80/TCP", "10.0.0.1 -> 192.168.0.2:80/TCP"],
    },
    {
      of: "S7.5: entities, where it matters which node it is",
      policies: cilium("ingress: [{ fromEntities: [remote-node] }]"),
      accept: ["192.168.0.2 -> 10.0.0.1:80/TCP"],
      drop: ["10.0.0.2 -> 10.0.0.1:80/TCP", "203.0.113.1 -> 10.0.0.1:80/TCP"],
    },
    {
      of: "S5.4: peers that are relative to the subject",
      policies: kep(
        "ingress: [{ action: Deny, from: [{ namespaces: { notSelf: true } }], l4Selector: { allPorts: true } }]",
      ),
      accept: ["10.0.0.2 -> 10.0.0.1:80/TCP", "203.0.113.1 -> 10.0.0.1:80/TCP"],
      drop: ["10.0.0.3 -> 10.0.0.1:80/TCP"],
    },
    {
      of: "S7.6: ICMP by type, in its family",
      policies: cilium("ingress: [{ icmps: [{ fields: [{ family: IPv4, type: 8 }] }] }]"),
      accept: ["10.0.0.2 -> 10.0.0.1:ICMP"],
      drop: ["fd00::2 -> [fd00::1]:ICMP", "10.0.0.2 -> 10.0.0.1:80/TCP"],
    },
    {
      of: "S1.1: the first tier that decides",
      policies:
        admin(
          "ingress: [{ action: Pass, from: [{ namespaces: { matchLabels: { kubernetes.io/metadata.name: play } } }], ports: [{ portNumber: { port: 80, protocol: TCP } }] }, { action: Deny, from: [{ namespaces: {} }] }]",
        ) + networkPolicy("ingress: [{}]"),
      accept: ["10.0.0.3 -> 10.0.0.1:80/TCP", "203.0.113.1 -> 10.0.0.1:80/TCP"],
      drop: ["10.0.0.3 -> 10.0.0.1:81/TCP", "10.0.0.2 -> 10.0.0.1:80/TCP"],
    },
    {
      of: "S7.7: what needs authentication is denied, whatever comes after it",
      policies: cilium(
        "ingress: [{ fromEndpoints: [{}], authentication: { mode: required } }, { fromEntities: [all] }]",
      ),
      accept: ["203.0.113.1 -> 10.0.0.1:80/TCP"],
      drop: ["10.0.0.2 -> 10.0.0.1:80/TCP"],
    },
    {
      of: "S7.11: what may be in an unknown group is denied, and not allowed",
      policies: cilium(
        "egress: [{ toGroups: [{ aws: { securityGroupsNames: [g] } }] }, { toCIDR: [203.0.113.0/29] }]",
      ),
      accept: ["10.0.0.1 -> 203.0.113.1:80/TCP"],
      drop: ["10.0.0.1 -> 203.0.113.9:80/TCP"],
    },
  ])("$of", ({ policies, accept, drop }) => {
    const { send } = nodeWorld(cluster + policies);
    expect(accept.filter((packet) => verdictOf(send(packet)) !== "accept")).toEqual([]);
    expect(drop.filter((packet) => verdictOf(send(packet)) !== "drop")).toEqual([]);
  });
});

describe("S1.6, S7.8: the node itself", () => {
  const output = { hook: "output" } as const;

  it("reaches its pods, isolated or not, and there is no chain for it", () => {
    const { send, ruleset } = nodeWorld(cluster + networkPolicy("ingress: []"));
    expect(verdictOf(send("192.168.0.1 -> 10.0.0.1:80/TCP", output))).toBe("accept");
    expect(ruleset.chains.has("output")).toBe(false);
  });

  it("is bound by what Cilium denies it, by whichever of its addresses it comes", () => {
    const { send } = nodeWorld(
      cluster +
        cilium(
          "ingressDeny: [{ fromEntities: [host], toPorts: [{ ports: [{ port: '80', protocol: TCP }] }] }]",
        ),
    );
    expect(verdictOf(send("192.168.0.1 -> 10.0.0.1:80/TCP", output))).toBe("drop");
    expect(verdictOf(send("10.0.0.254 -> 10.0.0.1:80/TCP", output))).toBe("drop");
    expect(verdictOf(send("192.168.0.1 -> 10.0.0.1:81/TCP", output))).toBe("accept");
  });

  it("is reached by its pods as their policies say", () => {
    const { send } = nodeWorld(cluster + networkPolicy("policyTypes: [Egress], egress: []"));
    expect(verdictOf(send("10.0.0.1 -> 192.168.0.1:80/TCP", { hook: "input" }))).toBe("drop");
  });
});

describe("S8.4: domain names", () => {
  const names = cilium(
    "egress: [{ toFQDNs: [{ matchName: example.com }], toPorts: [{ ports: [{ port: '443' }] }] }]",
  );
  const { program, send } = nodeWorld(cluster + names);
  const [set] = program.names;
  const learned = (name: string) =>
    new Map([[name, new Set(["10.0.0.1 . 203.0.113.1", "10.0.0.1 . 10.0.0.2"])]]);
  const packet = "10.0.0.1 -> 203.0.113.1:443/TCP";
  const byName = 0x00020000;

  it("have sets, and pods that they are for", () => {
    expect(program.names).toMatchObject([
      { patterns: [{ kind: "exact", text: "example.com" }], pods: ["10.0.0.1", "fd00::1"] },
    ]);
    for (const name of [set!.fresh[4], set!.kept[6]])
      expect(program.ruleset.sets.get(name)).toMatchObject({ elements: "learned", flags: ["timeout"] });
  });

  it("allow the addresses they resolved to, on the ports of the rule, and mark the connection", () => {
    expect(verdictOf(send(packet))).toBe("drop");
    expect(send(packet, {}, learned(set!.fresh[4]))).toMatchObject({
      verdict: "accept",
      mark: 0x00040000 | byName,
    });
    expect(verdictOf(send("10.0.0.1 -> 203.0.113.1:80/TCP", {}, learned(set!.fresh[4])))).toBe("drop");
  });

  it("S8.3: external addresses only: a pod that gets an address which a name resolved to is not reached by it", () => {
    expect(verdictOf(send("10.0.0.1 -> 10.0.0.2:443/TCP", {}, learned(set!.fresh[4])))).toBe("drop");
  });

  it("S8.3: the same for domainNames", () => {
    const policy = `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: { name: names }
spec:
  tier: Admin
  priority: 1
  subject: { namespaces: {} }
  egress:
    - { action: Accept, to: [{ domainNames: [example.com] }] }
    - { action: Deny, to: [{ networks: [0.0.0.0/0] }] }
`;
    const before = nodeWorld(cluster + policy);
    const fresh = before.program.names[0]!.fresh[4];
    const resolved = new Map([[fresh, new Set(["10.0.0.1 . 203.0.113.1", "10.0.0.1 . 203.0.113.2"])]]);
    for (const address of ["203.0.113.1", "203.0.113.2"])
      expect(verdictOf(before.send(`10.0.0.1 -> ${address}:443/TCP`, {}, resolved))).toBe("accept");
    const later =
      podYaml("shop/later", "203.0.113.1", { node: "elsewhere" }) + nodeYaml("late", "203.0.113.2");
    const after = nodeWorld(cluster + policy + later);
    for (const address of ["203.0.113.1", "203.0.113.2"])
      expect(verdictOf(after.send(`10.0.0.1 -> ${address}:443/TCP`, {}, resolved))).toBe("drop");
  });

  it("keep established connections longer than new ones may be opened", () => {
    const old = { connection: { state: "established", isReply: false, mark: 0x00080000 } } as const;
    expect(verdictOf(send(packet, {}, learned(set!.kept[4])))).toBe("drop");
    expect(verdictOf(send(packet, old, learned(set!.kept[4])))).toBe("accept");
  });
});

describe("modes", () => {
  const denied = "10.0.0.3 -> 10.0.0.1:80/TCP";
  const shadow = ', annotations: { tierwall.dev/enforcement: "shadow" }';
  const audit = (mode: string) => `, annotations: { tierwall.dev/audit: "${mode}" }`;
  const log = { group: 5, perSecond: 10, burst: 5 };
  const deny = "ingress: [{ from: [{ podSelector: {} }] }]";

  it("a policy in shadow mode counts and decides nothing", () => {
    const { send, program } = nodeWorld(cluster + networkPolicy(deny, shadow), { log });
    const journey = send(denied);
    const [entry] = [...program.book.values()].filter(({ by }) => by.kind === "isolation");
    expect(journey).toMatchObject({
      verdict: "accept",
      counted: [`r_${entry!.id}`],
      logged: [`tw:${entry!.id}`],
    });
    expect(entry!.shadow).toBe(true);
  });

  it("a node in shadow mode lets everything through, and counts", () => {
    const { send } = nodeWorld(cluster + networkPolicy(deny), { shadow: true });
    expect(send(denied)).toMatchObject({ verdict: "accept", counted: [expect.stringMatching(/^r_/)] });
  });

  it.each([
    ["denied", 1, 0],
    ["all", 1, 1],
    ["none", 0, 0],
  ])("audit: %s logs %i denied, %i allowed", (mode, whenDenied, whenAllowed) => {
    const { send } = nodeWorld(cluster + networkPolicy(deny, audit(mode)), { log });
    expect(send(denied).logged).toHaveLength(whenDenied);
    expect(send("10.0.0.2 -> 10.0.0.1:80/TCP").logged).toHaveLength(whenAllowed);
  });

  it("audit: all counts what is logged of new connections apart, and nothing else does", () => {
    const allowed = "10.0.0.2 -> 10.0.0.1:80/TCP";
    const old = { connection: { state: "established", isReply: false, mark: 0x00080000 } } as const;
    const { send, program } = nodeWorld(cluster + networkPolicy(deny, audit("all")), { log });
    const [id] = [...program.book.values()].flatMap((entry) => (entry.verdict === "Allow" ? entry.id : []));
    expect(send(allowed).counted).toEqual([`n_${id}`, `r_${id}`]);
    expect(send(allowed, old).counted).toEqual([`r_${id}`]);
    expect([...program.ruleset.counters].filter((name) => name.startsWith("n_"))).toEqual([`n_${id}`]);
    for (const world of [
      nodeWorld(cluster + networkPolicy(deny, audit("all"))),
      nodeWorld(cluster + networkPolicy(deny), { log }),
    ])
      expect([...world.program.ruleset.counters].filter((name) => name.startsWith("n_"))).toEqual([]);
  });

  it("nothing is logged without a group", () => {
    expect(nodeWorld(cluster + networkPolicy(deny)).send(denied).logged).toEqual([]);
  });
});

describe("what the table does not contain", () => {
  it("rules about pods of other nodes leave no trace", () => {
    const elsewhere = networkPolicy("ingress: []").replace("app: web", "app: cart");
    const { program } = nodeWorld(cluster + elsewhere);
    expect(program.book.size).toBe(0);
    expect(program.ruleset.sets.get("ident4")!.elements).toEqual(new Map());
    expect([...program.ruleset.chains.keys()]).toEqual([]);
  });

  it("pods that no rule distinguishes have no identity", () => {
    const { program } = nodeWorld(
      cluster + networkPolicy("ingress: [{ from: [{ podSelector: { matchLabels: { app: cart } } }] }]"),
    );
    expect([...(program.ruleset.sets.get("ident4")!.elements as Map<string, string>).keys()]).toEqual([
      "10.0.0.2",
    ]);
  });

  it("ids stay when peers or ports of a rule are edited, so that counters go on", () => {
    const ids = (port: number) => [
      ...nodeWorld(cluster + networkPolicy(`ingress: [{ ports: [{ port: ${port} }] }]`)).program.book.keys(),
    ];
    expect(ids(80)).toEqual(ids(81));
  });

  it.each([
    ["the verdict", "{ name: a, action: Pass }", "{}"],
    ["the name", "{ name: b, action: Deny }", "{}"],
    ["whether it is enforced", "{ name: a, action: Deny }", "{ tierwall.dev/enforcement: shadow }"],
    ["whether it is logged", "{ name: a, action: Deny }", "{ tierwall.dev/audit: none }"],
  ])("an id never means another thing: %s", (_what, rule, annotations) => {
    const ids = (text: string, notes: string) => [
      ...nodeWorld(`${cluster}---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: { name: one, annotations: ${notes} }
spec: { tier: Admin, priority: 1, subject: { namespaces: {} }, ingress: [${text.replace(" }", ", from: [{ namespaces: {} }] }")}] }
`).program.book.keys(),
    ];
    const before = ids("{ name: a, action: Deny }", "{}");
    expect(before).toHaveLength(1);
    expect(ids(rule, annotations)).not.toEqual(before);
  });

  it.each(["{ tierwall.dev/enforcement: shadow }", "{ tierwall.dev/audit: none }"])(
    "the same of an isolation: %s",
    (annotations) => {
      const ids = (notes: string) => [
        ...nodeWorld(
          cluster + networkPolicy("ingress: []").replace("metadata: {", `metadata: { annotations: ${notes},`),
        ).program.book.keys(),
      ];
      expect(ids(annotations)).not.toEqual(ids("{}"));
    },
  );
});

it("the cost of CIDRs in a policy grows about linearly", () => {
  const blocks = Array.from({ length: 6000 }, (_, i) => `20.${(i * 2) >> 8}.${(i * 2) & 255}.0/24`);
  const peers = blocks.map((cidr) => `{ ipBlock: { cidr: ${cidr} } }`).join();
  const { program, send } = nodeWorld(
    cluster + networkPolicy(`policyTypes: [Egress], egress: [{ to: [${peers}] }]`),
  );
  const found = program.ruleset.sets.get(program.ranges[4])!.elements as ReadonlyMap<string, string>;
  expect([...found.keys()]).toEqual(blocks);
  expect(send("10.0.0.1 -> 20.46.222.7:80/TCP").verdict).toBe("accept");
  expect(send("10.0.0.1 -> 20.46.223.7:80/TCP").verdict).toBe("drop");
});

it("gives the same result after more changes than it keeps", () => {
  const { cluster: pods } = readState([{ file: "cluster.yaml", text: cluster }]);
  const compiler = new NodeCompiler(plainOptions, modesOf);
  for (let port = 1; port <= 105; port++) {
    const text = networkPolicy(
      `ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: ${port} }] }]`,
    );
    const { tiers } = readState([{ file: "policy.yaml", text }]);
    const { ruleset } = compiler.compile(pods, tiers);
    if (port < 95) continue;
    const fresh = new NodeCompiler(plainOptions, modesOf).compile(pods, tiers);
    expect(rulesetText(ruleset, "tierwall")).toBe(rulesetText(fresh.ruleset, "tierwall"));
  }
});
