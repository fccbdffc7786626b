import { describe, expect, it } from "vitest";
import type { StateOptions } from "../../state/state.js";
import { problemsIn, world } from "../../../testing/world.js";

/* Section 5, verdict by verdict. Every policy here is in the shape of KEP-2091. */

// Quoted: `y` alone is a boolean to YAML 1.1, and to kubectl.
const namespace = (name: string, labels = "{}") =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: "${name}", labels: ${labels}}}`;
const pod = (path: string, labels = "{}", spec = "{}", status = "{}") => {
  const [inNamespace, name] = path.split("/");
  const metadata = `{namespace: "${inNamespace}", name: ${name}, labels: ${labels}}`;
  return `{apiVersion: v1, kind: Pod, metadata: ${metadata}, spec: ${spec}, status: ${status}}`;
};
const policy = (name: string, spec: string) =>
  `{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: ${name}}, spec: {${spec}}}`;
const networkPolicy = (path: string, spec: string) => {
  const [inNamespace, name] = path.split("/");
  const metadata = `{namespace: "${inNamespace}", name: ${name}}`;
  return `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: ${metadata}, spec: {${spec}}}`;
};
const together = (...documents: string[]) => documents.join("\n---\n");

const everywhere = "subject: {namespaceSelector: {}}";
const named = (name: string) => `namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${name}}}`;
const anyPod = "namespaces: {namespaceSelector: {}}";
const rule = (action: string, peer = anyPod, l4 = "allPorts: true") =>
  `{action: ${action}, from: [{${peer}}], l4Selector: {${l4}}}`;
const incoming = (priority: number, ...rules: string[]) =>
  `priority: ${priority}, ${everywhere}, ingress: [${rules.join()}]`;

const two = [namespace("a"), namespace("x"), pod("a/client"), pod("x/server")];
const isolateServer = networkPolicy("x/isolate", "podSelector: {}, policyTypes: [Ingress]");
const allowClient = networkPolicy("x/open", "podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]");
const question = "a/client -> x/server:80/TCP";

/** The verdict on the one question, and who decided it. */
const decided = (policies: readonly string[], options: StateOptions = {}) => {
  const { verdict, decidedBy } = world(together(...two, ...policies), options).ask(question);
  return `${verdict}: ${decidedBy}`;
};

describe("S5.1: priority", () => {
  it("S5.1: a larger number is evaluated first", () => {
    const [low, high] = [
      policy("low", incoming(10, rule("Allow"))),
      policy("high", incoming(20, rule("Deny"))),
    ];
    expect(decided([low, high])).toBe("Deny: AdminNetworkPolicy high");
  });

  it("S5.1: positive comes before NetworkPolicy, zero after it", () => {
    expect(decided([policy("anp", incoming(1, rule("Deny"))), allowClient])).toBe(
      "Deny: AdminNetworkPolicy anp",
    );
    expect(decided([policy("anp", incoming(0, rule("Deny"))), allowClient])).toBe(
      "Allow: NetworkPolicy x/open",
    );
    expect(decided([policy("anp", incoming(1, rule("Allow"))), isolateServer])).toBe(
      "Allow: AdminNetworkPolicy anp",
    );
    expect(decided([policy("anp", incoming(0, rule("Allow"))), isolateServer])).toBe(
      "Deny: isolation by NetworkPolicy x/isolate",
    );
    expect(decided([policy("anp", incoming(0, rule("Deny")))])).toBe("Deny: AdminNetworkPolicy anp");
  });

  it("S5.1, S1.13: equal priorities are evaluated in the order of names, and reported", () => {
    const policies = [policy("b", incoming(10, rule("Allow"))), policy("a", incoming(10, rule("Deny")))];
    expect(decided(policies)).toBe("Deny: AdminNetworkPolicy a");
    expect(problemsIn(together(...two, ...policies)).map((problem) => problem.slice(0, 6))).toContain(
      "TW2003",
    );
  });

  it("S5.1: from a cluster 1001 is evaluated before 1000", () => {
    const policies = [policy("a", incoming(1000, rule("Deny"))), policy("b", incoming(1001, rule("Allow")))];
    expect(decided(policies, { provenance: "cluster" })).toBe("Allow: AdminNetworkPolicy b");
  });
});

describe("S5.2: Pass", () => {
  it("S5.2: skips every remaining rule of a positive priority, and goes to NetworkPolicy", () => {
    const pass = policy("pass", incoming(50, rule("Pass"), rule("Deny")));
    const lower = policy("lower", incoming(40, rule("Deny")));
    expect(decided([pass, lower])).toBe("Allow: default");
    expect(decided([pass, lower, isolateServer])).toBe("Deny: isolation by NetworkPolicy x/isolate");
    expect(decided([pass, lower, allowClient])).toBe("Allow: NetworkPolicy x/open");
  });

  it("S5.2: does not skip rules before it: `priority > 50` in the KEP's example is an erratum", () => {
    const policies = [
      policy("pass", incoming(50, rule("Pass"))),
      policy("higher", incoming(60, rule("Deny"))),
    ];
    expect(decided(policies)).toBe("Deny: AdminNetworkPolicy higher");
  });

  it("S5.2: does not skip priority zero", () => {
    const policies = [policy("pass", incoming(50, rule("Pass"))), policy("zero", incoming(0, rule("Deny")))];
    expect(decided(policies)).toBe("Deny: AdminNetworkPolicy zero");
  });

  it("S5.2: at priority zero leaves the baseline", () => {
    expect(decided([policy("zero", incoming(0, rule("Pass"), rule("Deny")))])).toBe("Allow: default");
  });
});

describe("S5.4: label sets are relative to the subject", () => {
  // Every pair of namespaces, with the label `t` at one value, at another, and absent.
  const labels: Readonly<Record<string, string>> = {
    one: "{t: v1}",
    uno: "{t: v1}",
    two: "{t: v2}",
    none: "{}",
  };
  const cluster = Object.entries(labels).flatMap(([name, text]) => [
    namespace(name, text),
    pod(`${name}/subject`, "{role: subject}"),
    pod(`${name}/peer`),
  ]);
  const matched = (set: string) => {
    const w = world(together(...cluster, policy("p", incoming(5, rule("Deny", `namespaces: {${set}}`)))));
    return Object.fromEntries(
      Object.keys(labels).map((subject) => [
        subject,
        Object.keys(labels).filter(
          (peer) => w.verdict(`${peer}/peer -> ${subject}/subject:80/TCP`) === "Deny",
        ),
      ]),
    );
  };

  it("S5.4: self and notSelf are each subject's own namespace, and the others", () => {
    expect(matched("self: true")).toEqual({ one: ["one"], uno: ["uno"], two: ["two"], none: ["none"] });
    expect(matched("notSelf: true")).toEqual({
      one: ["uno", "two", "none"],
      uno: ["one", "two", "none"],
      two: ["one", "uno", "none"],
      none: ["one", "uno", "two"],
    });
  });

  it("S5.4: sameLabels selects the same value, and nothing where the subject lacks the key", () => {
    expect(matched("sameLabels: [t]")).toEqual({
      one: ["one", "uno"],
      uno: ["one", "uno"],
      two: ["two"],
      none: [],
    });
  });

  it("S5.4: notSameLabels is its complement; where the subject lacks the key, that key excludes nothing", () => {
    expect(matched("notSameLabels: [t]")).toEqual({
      one: ["two", "none"],
      uno: ["two", "none"],
      two: ["one", "uno", "none"],
      none: ["one", "uno", "two", "none"],
    });
  });

  it("S5.4: an empty list selects nothing, in either", () => {
    const nothing = { one: [], uno: [], two: [], none: [] };
    expect(matched("sameLabels: []")).toEqual(nothing);
    expect(matched("notSameLabels: []")).toEqual(nothing);
  });

  it("S5.4: of several keys sameLabels needs every one, notSameLabels lets none be the same", () => {
    const w = (set: string) =>
      world(
        together(
          namespace("me", "{t: v, z: w}"),
          namespace("both", "{t: v, z: w}"),
          namespace("half", "{t: v, z: other}"),
          namespace("neither", "{t: other}"),
          ...["me/server", "both/c", "half/c", "neither/c"].map((path) => pod(path)),
          policy("p", incoming(5, rule("Deny", `namespaces: {${set}: [t, z]}`))),
        ),
      );
    const denied = (set: string) =>
      ["both", "half", "neither"].filter(
        (name) => w(set).verdict(`${name}/c -> me/server:80/TCP`) === "Deny",
      );
    expect(denied("sameLabels")).toEqual(["both"]);
    expect(denied("notSameLabels")).toEqual(["neither"]);
  });

  it("S5.4: for pods, the same with the labels of pods", () => {
    const cases = { same: "{app: web}", other: "{app: db}", none: "{}" };
    const denied = (pods: string, subjectLabels: string) => {
      const peer = `namespacedPods: {namespaces: {notSelf: true}, pods: {${pods}}}`;
      const w = world(
        together(
          namespace("x"),
          namespace("a"),
          pod("x/server", subjectLabels),
          ...Object.entries(cases).map(([name, text]) => pod(`a/${name}`, text)),
          policy("p", incoming(5, rule("Deny", peer))),
        ),
      );
      return Object.keys(cases).filter((name) => w.verdict(`a/${name} -> x/server:80/TCP`) === "Deny");
    };
    expect(denied("sameLabels: [app]", "{app: web}")).toEqual(["same"]);
    expect(denied("notSameLabels: [app]", "{app: web}")).toEqual(["other", "none"]);
    expect(denied("sameLabels: [app]", "{}")).toEqual([]);
    expect(denied("notSameLabels: [app]", "{}")).toEqual(["same", "other", "none"]);
    expect(denied("podSelector: {matchLabels: {app: db}}", "{app: web}")).toEqual(["other"]);
  });

  describe("S5.4: story 4, in both its forms", () => {
    const tenants = [
      namespace("t1-ns1", "{tenant: t1}"),
      namespace("t1-ns2", "{tenant: t1}"),
      namespace("t2-ns1", "{tenant: t2}"),
      namespace("infra"),
      ...["t1-ns1/server", "t1-ns2/client", "t2-ns1/client", "infra/client"].map((path) => pod(path)),
    ];
    const subject = "subject: {namespaceSelector: {matchExpressions: [{key: tenant, operator: Exists}]}}";
    const byNotSame = policy(
      "tenants",
      `priority: 50, ${subject}, ingress: [${rule("Deny", "namespaces: {notSameLabels: [tenant]}")}]`,
    );
    const byPass = policy(
      "tenants",
      `priority: 50, ${subject}, ingress: [${rule("Pass", "namespaces: {sameLabels: [tenant]}")}, ${rule("Deny")}]`,
    );
    const later = policy("later", incoming(10, rule("Deny")));
    const verdicts = (...policies: string[]) => {
      const w = world(together(...tenants, ...policies));
      return ["t1-ns2", "t2-ns1", "infra"].map((from) => w.verdict(`${from}/client -> t1-ns1/server:80/TCP`));
    };

    it("S5.4: the two deny the same traffic", () => {
      expect(verdicts(byNotSame)).toEqual(["Allow", "Deny", "Deny"]);
      expect(verdicts(byPass)).toEqual(["Allow", "Deny", "Deny"]);
    });

    it("S5.4: inside a tenant, a Deny at a lower priority is met by the first and skipped by the second", () => {
      expect(verdicts(byNotSame, later)).toEqual(["Deny", "Deny", "Deny"]);
      expect(verdicts(byPass, later)).toEqual(["Allow", "Deny", "Deny"]);
    });
  });
});

describe("S5.5: l4Selector", () => {
  const ports = "[{name: web, containerPort: 8080}, {name: dns, containerPort: 53, protocol: UDP}]";
  const cluster = [
    namespace("a"),
    namespace("x"),
    pod("a/client"),
    pod("x/server", "{}", `{containers: [{name: c, ports: ${ports}}]}`),
  ];
  const asked = ["80/TCP", "80/UDP", "85/TCP", "8080/TCP", "53/UDP", "ICMP"];
  const cases: readonly [string, readonly string[]][] = [
    ["allPorts: true", asked],
    ["ports: []", []],
    ["ports: [{}]", []],
    ["ports: [{protocol: UDP}]", []],
    ["ports: [{port: 80}]", ["80/TCP"]],
    ["ports: [{port: 80, protocol: UDP}]", ["80/UDP"]],
    ["ports: [{port: 80, endPort: 85}]", ["80/TCP", "85/TCP"]],
    ["ports: [{port: web}]", ["8080/TCP"]],
    ["ports: [{port: dns}]", []],
    ["ports: [{port: dns, protocol: UDP}, {port: 85}]", ["85/TCP", "53/UDP"]],
  ];
  it.each(cases)("S5.5: {%s} matches %j", (l4, matched) => {
    const w = world(together(...cluster, policy("p", incoming(5, rule("Deny", anyPod, l4)))));
    expect(asked.filter((port) => w.verdict(`a/client -> x/server:${port}`) === "Deny")).toEqual(matched);
  });
});

it("S5.6: an empty or missing from or to matches nothing", () => {
  const l4 = "l4Selector: {allPorts: true}";
  const rules = `ingress: [{action: Deny, from: [], ${l4}}, {action: Deny, ${l4}}], egress: [{action: Deny, to: [], ${l4}}]`;
  expect(decided([policy("p", `priority: 5, ${everywhere}, ${rules}`)])).toBe("Allow: default");
});

it("S5.3: namespaceAndPodSelector narrows the subject to some pods", () => {
  const subject = `subject: {namespaceAndPodSelector: {${named("x")}, podSelector: {matchLabels: {app: db}}}}`;
  const w = world(
    together(
      ...two,
      pod("x/db", "{app: db}"),
      pod("a/db", "{app: db}"),
      policy("p", `priority: 5, ${subject}, ingress: [${rule("Deny")}]`),
    ),
  );
  expect(w.verdict("a/client -> x/db:80/TCP")).toBe("Deny");
  expect(w.verdict("a/client -> x/server:80/TCP")).toBe("Allow");
  expect(w.verdict("a/client -> a/db:80/TCP")).toBe("Allow");
});

it("S5.7: external addresses, nodes and host-network pods never match a peer", () => {
  const node =
    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 10.0.0.1}]}}";
  const deny = (field: string) => `{action: Deny, ${field}: [{${anyPod}}], l4Selector: {allPorts: true}}`;
  const w = world(
    together(
      ...two,
      node,
      pod("a/agent", "{}", "{hostNetwork: true, nodeName: n1}", "{podIP: 10.0.0.1}"),
      policy("p", `priority: 5, ${everywhere}, ingress: [${deny("from")}], egress: [${deny("to")}]`),
    ),
  );
  expect(w.verdict(question)).toBe("Deny");
  for (const outside of ["203.0.113.7", "node:n1", "a/agent"]) {
    expect(w.ask(`x/server -> ${outside}:80/TCP`)).toMatchObject({ verdict: "Allow", decidedBy: "default" });
    if (outside !== "node:n1")
      expect(w.ask(`${outside} -> x/server:80/TCP`)).toMatchObject({ verdict: "Allow" });
  }
});

describe("S5.9: from a cluster, what is not understood fails closed", () => {
  const live: StateOptions = { provenance: "cluster" };
  const unknownPeer = "{services: {}}";
  const written = (action: string) =>
    policy(
      "new",
      incoming(5, `{action: ${action}, from: [${unknownPeer}], l4Selector: {ports: [{port: 9}]}}`),
    );

  it("S5.9: Deny and Pass with an unknown peer deny everything, whatever the ports", () => {
    expect(decided([written("Deny")], live)).toBe("Deny: AdminNetworkPolicy new");
    expect(decided([written("Pass")], live)).toBe("Deny: AdminNetworkPolicy new");
  });

  it("S5.9: Allow with an unknown peer matches nothing", () => {
    expect(decided([written("Allow"), isolateServer], live)).toBe(
      "Deny: isolation by NetworkPolicy x/isolate",
    );
  });

  it("S5.9: at its place only: what comes before it still decides", () => {
    expect(decided([written("Deny"), policy("before", incoming(6, rule("Allow")))], live)).toBe(
      "Allow: AdminNetworkPolicy before",
    );
  });

  it("S5.9: an unknown subject has no effect, and is said", () => {
    const unknown = policy(
      "new",
      `priority: 5, subject: {nodes: {}}, ingress: [${rule("Deny")}], egress: [{l4Selector: {}}]`,
    );
    expect(decided([unknown], live)).toBe("Allow: default");
    expect(problemsIn(unknown, live).join()).toContain("TW2016");
  });
});

describe("S5.10: no implicit isolation", () => {
  const cluster = [
    namespace("x"),
    namespace("y"),
    ...["x/a1", "y/a2"].map((path) => pod(path, "{app: a}")),
    ...["x/b1", "y/b2"].map((path) => pod(path, "{app: b}")),
  ];
  const self = policy(
    "self",
    incoming(
      100,
      rule(
        "Allow",
        "namespacedPods: {namespaces: {self: true}, pods: {podSelector: {matchLabels: {app: b}}}}",
      ),
    ),
  );
  const isolate = networkPolicy("x/isolate", "podSelector: {}");

  it("S5.10: the KEP's Self example allows x/b1 and y/b2 their own namespaces, and does not decide the rest", () => {
    const w = world(together(...cluster, self));
    expect(w.ask("x/b1 -> x/a1:80/TCP").decidedBy).toBe("AdminNetworkPolicy self");
    expect(w.ask("y/b2 -> y/a2:80/TCP").decidedBy).toBe("AdminNetworkPolicy self");
    expect(w.ask("y/b2 -> x/a1:80/TCP")).toMatchObject({ verdict: "Allow", decidedBy: "default" });
    expect(w.ask("x/b1 -> y/a2:80/TCP")).toMatchObject({ verdict: "Allow", decidedBy: "default" });
  });

  it("S5.10: isolation by a NetworkPolicy counts as a match of NetworkPolicy, before priority zero", () => {
    const w = world(together(...cluster, self, isolate, policy("zero", incoming(0, rule("Allow")))));
    expect(w.ask("x/b1 -> x/a1:80/TCP")).toMatchObject({
      verdict: "Allow",
      decidedBy: "AdminNetworkPolicy self",
    });
    expect(w.ask("y/b2 -> x/a1:80/TCP")).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by NetworkPolicy x/isolate",
    });
  });
});

describe("S4.4: distinguished from the released AdminNetworkPolicy", () => {
  const released = policy(
    "released",
    "priority: 5, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]",
  );

  it("S4.4, S1.12: both in one set are ordered by precedence, the KEP's by 1000 - priority, with a warning", () => {
    const kep = (priority: number) => policy("kep", incoming(priority, rule("Allow")));
    expect(decided([released, kep(996)])).toBe("Allow: AdminNetworkPolicy kep");
    expect(decided([released, kep(994)])).toBe("Deny: AdminNetworkPolicy released");
    const codes = problemsIn(together(...two, released, kep(996))).map((problem) => problem.slice(0, 6));
    expect(codes).toContain("TW2005");
  });

  it("S4.4: a mix of the two shapes is an error", () => {
    const mixed = policy("mixed", "priority: 5, subject: {namespaces: {}, namespaceSelector: {}}");
    expect(problemsIn(mixed).map((problem) => problem.slice(0, 6))).toEqual(["TW1402"]);
  });
});
