import type { JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { Analyst, editOf } from "../webhook/analyst.js";

const guarantee = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "tierwall.dev/v1",
  kind: "Guarantee",
  metadata: { name, uid: name, generation: 1 },
  spec: {
    from: [{ namespaces: { matchExpressions: [{ key: "pci", operator: "DoesNotExist" }] } }],
    to: [{ namespaces: { matchLabels: { pci: "true" } } }],
    verdict: "Deny",
    ...spec,
  },
});
const clusterPolicy = (name: string, priority: number, ...rules: readonly JsonObject[]): JsonObject => ({
  apiVersion: "policy.networking.k8s.io/v1alpha2",
  kind: "ClusterNetworkPolicy",
  metadata: { name },
  spec: {
    tier: "Admin",
    priority,
    subject: { namespaces: { matchLabels: { pci: "true" } } },
    ingress: rules.map((rule) => ({ from: [{ namespaces: {} }], ...rule })),
  },
});
const networkPolicy = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name, namespace: "card" },
  spec: { podSelector: {}, ...spec },
});
const namespace = (name: string, labels: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "kubernetes.io/metadata.name": name, ...labels } },
});

const insiders = { action: "Pass", from: [{ namespaces: { matchLabels: { pci: "true" } } }] };
const guard = clusterPolicy("guard", 10, insiders, { name: "no-others", action: "Deny" });
const hole = clusterPolicy("hole", 5, {
  action: "Accept",
  protocols: [{ tcp: { destinationPort: { number: 8080 } } }],
});

function analystOf(...objects: readonly JsonObject[]): Analyst {
  const analyst = new Analyst();
  for (const object of objects) analyst.set(object);
  return analyst;
}
const soon = () => Date.now() + 60_000;
const key = (name: string) => `tierwall.dev Guarantee ${name}`;
const broken = (analyst: Analyst, edit: Parameters<Analyst["check"]>[0], deadline = soon()) =>
  analyst
    .check(edit, deadline)
    .map(({ name, counterexample = "not decided" }) => `${name}: ${counterexample}`);

const anyPort =
  'closed: pod {} in namespace other {} → pod {} in namespace another {pci: "true"} on 80/TCP would be allowed';
const port8080 = anyPort.replace(" 80/TCP", " 8080/TCP");

describe("guarantees of a cluster", () => {
  it("hold, with the rules that suffice, or do not, with a counterexample", () => {
    const analyst = analystOf(guarantee("closed"), guard);
    expect(analyst.holds(key("closed"), soon())).toMatchObject({
      result: "Proven",
      restsOn: ['ClusterNetworkPolicy guard rule 2 "no-others"'],
    });
    analyst.set(hole);
    expect(analyst.holds(key("closed"), soon())).toMatchObject({
      result: "Refuted",
      text: port8080.replace("closed: ", ""),
      restsOn: [],
    });
    analyst.remove(editOf(hole, "delete").key);
    expect(analyst.holds(key("closed"), soon())?.result).toBe("Proven");
    analyst.remove(key("closed"));
    expect(analyst.holds(key("closed"), soon())).toBeUndefined();
  });

  it.each<[string, readonly JsonObject[], Parameters<Analyst["check"]>[0], readonly string[]]>([
    ["deleting what it rests on", [guard], editOf(guard, "delete"), [anyPort]],
    ["changing what it rests on", [guard], editOf(clusterPolicy("guard", 10, insiders), "apply"), [anyPort]],
    ["creating what overrides it", [guard], editOf(hole, "apply"), [port8080]],
    [
      "creating what comes after it",
      [guard],
      editOf(clusterPolicy("late", 20, { action: "Accept" }), "apply"),
      [],
    ],
    ["deleting something else", [guard, hole], editOf(hole, "delete"), []],
    ["breaking it again", [guard, hole], editOf(guard, "delete"), []],
    ["making it hold", [hole], editOf(guard, "apply"), []],
    ["what namespace owners write", [guard], editOf(networkPolicy("all", { ingress: [{}] }), "apply"), []],
  ])("know whether %s breaks one, as often as they are asked", (_, objects, edit, wanted) => {
    const analyst = analystOf(guarantee("closed"), ...objects);
    expect(broken(analyst, edit)).toEqual(wanted);
    expect(broken(analyst, edit)).toEqual(wanted);
    expect([...analyst.judge(edit, "everything")]).toHaveLength(2);
    expect(broken(analyst, edit)).toEqual(wanted);
  });

  it("S11.2: are broken by NetworkPolicies where these are taken as they are written", () => {
    const asWritten = { whatever: { networkPolicies: "as-written" } };
    const isolated = networkPolicy("isolated", {});
    const card = { namespaces: { matchLabels: { "kubernetes.io/metadata.name": "card" } } };
    const analyst = analystOf(guarantee("closed", { ...asWritten, to: [card] }), isolated);
    expect(analyst.holds(key("closed"), soon())).toMatchObject({
      result: "Proven",
      // Readers of Guarantees may not be able to read them.
      restsOn: ["policies of a namespace"],
    });
    expect(broken(analyst, editOf(isolated, "delete"))).toEqual([
      "closed: pod {} in namespace other {} → pod {} in namespace card {} on 80/TCP would be allowed",
    ]);
    expect(broken(analyst, editOf(networkPolicy("more", {}), "apply"))).toEqual([]);
  });

  it("that something is allowed are broken by what denies", () => {
    const open = guarantee("open", {
      verdict: "Allow",
      ports: ["53/UDP"],
      whatever: { networkPolicies: "as-written" },
    });
    const analyst = analystOf(open);
    expect(broken(analyst, editOf(guard, "apply"))).toEqual([
      'open: pod {} in namespace other {} → pod {} in namespace another {pci: "true"} on 53/UDP would not be allowed',
    ]);
    expect(broken(analyst, editOf(hole, "apply"))).toEqual([]);
  });

  it("go on with the encoding of an edit that was made", () => {
    const analyst = analystOf(guarantee("closed"), guard);
    expect(broken(analyst, editOf(hole, "apply"))).toEqual([port8080]);
    analyst.set({ ...hole, metadata: { name: "hole", uid: "1", generation: 1 } });
    expect(analyst.holds(key("closed"), 0)?.result).toBe("Refuted");
    expect(analyst.decideNext()).toBe(false);
    // Its status, or a label, is no other policy.
    analyst.set({ ...hole, metadata: { name: "hole", uid: "1", generation: 1, labels: { a: "b" } } });
    expect(analyst.decideNext()).toBe(false);
    analyst.set(clusterPolicy("hole", 5));
    expect(analyst.decideNext()).toBe(true);
    expect(analyst.holds(key("closed"), 0)?.result).toBe("Proven");
  });

  it("are not decided where there is no time, and are decided later", () => {
    const analyst = analystOf(guarantee("closed"), guard);
    expect(analyst.holds(key("closed"), 0)).toMatchObject({ result: "NotDecided" });
    expect(broken(analyst, editOf(guard, "delete"), 0)).toEqual(["closed: not decided"]);
    expect(analyst.decideNext()).toBe(true);
    // Found without a question to the solver.
    expect(broken(analyst, editOf(clusterPolicy("late", 20, { action: "Deny" }), "apply"), 0)).toEqual([]);
    expect(broken(analyst, editOf(guard, "delete"), 0)).toEqual(["closed: not decided"]);
    expect(broken(analyst, editOf(guard, "delete"))).toEqual([anyPort]);
  });

  it("that refuse edits are asked first", () => {
    const analyst = analystOf(guarantee("a"), guarantee("b", { onBreak: "Refuse" }), guard);
    expect(analyst.check(editOf(guard, "delete"), soon()).map(({ name }) => name)).toEqual(["b", "a"]);
  });

  it("S11.4: are invalid where the cluster does not satisfy an assumption, and break nothing", () => {
    const assuming = [
      { every: "namespace", has: { matchExpressions: [{ key: "team", operator: "Exists" }] } },
    ];
    const analyst = analystOf(guarantee("closed", { assuming }), guard, namespace("shop"));
    expect(analyst.holds(key("closed"), soon())).toMatchObject({
      result: "Invalid",
      text: "it is assumed that every namespace has team, but namespace shop does not",
    });
    expect(broken(analyst, editOf(guard, "delete"))).toEqual([]);
    analyst.set(namespace("shop", { team: "a" }));
    expect(analyst.holds(key("closed"), soon())?.result).toBe("Proven");
  });

  it("name no pods of the cluster", () => {
    const assuming = [{ every: "pod", has: { matchLabels: { app: "a" } } }];
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "secret", namespace: "shop" }, spec: {} };
    const { text } = analystOf(guarantee("closed", { assuming }), namespace("shop"), pod).holds(
      key("closed"),
      soon(),
    )!;
    expect(text).toBe("it is assumed that every pod has app=a, but a pod does not");
  });

  it("S11.5: are vacuous where they are about nothing", () => {
    const analyst = analystOf(
      guarantee("closed", {
        assuming: [
          { only: ["a"], namespacesWith: { matchLabels: { pci: "true" } } },
          {
            every: "namespace",
            with: { matchLabels: { "kubernetes.io/metadata.name": "a" } },
            has: { matchExpressions: [{ key: "pci", operator: "DoesNotExist" }] },
          },
        ],
      }),
    );
    expect(analyst.holds(key("closed"), soon())).toMatchObject({ result: "Vacuous" });
    expect(broken(analyst, editOf(guard, "apply"))).toEqual([]);
  });

  it("cannot be read where they are of another version, or hostile, and are reported as such", () => {
    const hostile = guarantee("x\u202e\n", { from: [{ galaxies: {} }], ports: ["0/TCP"] });
    const analyst = analystOf(hostile, guarantee("closed"), guard);
    const { result, text } = analyst.holds("tierwall.dev Guarantee x\u202e\n", soon())!;
    expect([result, text.includes("\n")]).toEqual(["Invalid", false]);
    expect(broken(analyst, editOf(guard, "delete"))).toEqual([anyPort]);
  });

  it("are many, and end when their time does", () => {
    const labels = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`key-${i}`, "v"]));
    const many = Array.from({ length: 1000 }, (_, i) =>
      guarantee(`g-${i}`, { from: [{ namespaces: { matchLabels: labels(i % 40) } }] }),
    );
    const analyst = analystOf(guard, hole, ...many);
    const began = Date.now();
    const found = analyst.check(editOf(clusterPolicy("hole", 5), "apply"), began + 500);
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(found.every(({ counterexample }) => counterexample === undefined)).toBe(true);
  });

  it("are tried out before they are in the cluster", () => {
    const analyst = analystOf(guard);
    const { answer, kinds } = analyst.wouldHold(guarantee("new"), soon());
    expect([answer.result, kinds]).toEqual(["Proven", ["policy.networking.k8s.io ClusterNetworkPolicy"]]);
    expect(analyst.holds(key("new"), soon())).toBeUndefined();
  });
});
