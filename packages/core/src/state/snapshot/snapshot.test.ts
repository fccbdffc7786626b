import { describe, expect, it } from "vitest";
import { readState } from "../state.js";
import { snapshotOf } from "./snapshot.js";

/** Any hash would do; this one can be read. */
const hash = (text: string) => Array.from(text, (c) => c.codePointAt(0)!.toString(16)).join("");
const called = (text: string) => `x${hash(text)}`;

function itemsOf(yaml: string, redact = true): readonly Record<string, unknown>[] {
  const { text, diagnostics } = snapshotOf([{ file: "a.yaml", text: yaml }], redact ? { redact: hash } : {});
  expect(diagnostics).toEqual([]);
  return (JSON.parse(text) as { items: Record<string, unknown>[] }).items;
}

describe("a snapshot holds", () => {
  it("what verdicts depend on, and nothing else", () => {
    const [pod] = itemsOf(
      `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u, annotations: {secret: x}, managedFields: []}
spec: {nodeName: n1, containers: [{name: c, image: i, env: [{name: KEY, value: hush}], ports: [{containerPort: 80}]}]}
status: {podIP: 10.0.0.1, containerStatuses: []}`,
      false,
    );
    expect(pod).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "shop", uid: "u" },
      spec: { nodeName: "n1", containers: [{ ports: [{ containerPort: 80 }] }] },
      status: { podIP: "10.0.0.1" },
    });
  });

  it("one object per line, in a fixed order", () => {
    const objects = ["b", "a"].map((name) => `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
    const text = (some: readonly string[]) => snapshotOf([{ file: "a", text: some.join("\n---\n") }]).text;
    expect(text(objects)).toBe(text(objects.toReversed()));
    expect(text(objects).split("\n")).toHaveLength(5);
  });

  it("no kinds of others", () => {
    expect(
      itemsOf(
        "{apiVersion: v1, kind: Secret, metadata: {name: s}}\n---\n{apiVersion: v1, kind: Node, metadata: {name: n}}",
      ),
    ).toHaveLength(1);
  });

  it.each([
    ["no known kind", "{apiVersion: v1, kind: Secret, metadata: {name: s}}", "TW1005"],
    ["a misspelled kind", "{apiVersion: v1, kind: Pods, metadata: {name: s}}", "TW1107"],
    ["no YAML", "{", "TW1001"],
  ])("an error where there is %s", (_, text, code) => {
    expect(snapshotOf([{ file: "a", text }]).diagnostics.map((found) => found.code)).toContain(code);
  });
});

describe("redacted,", () => {
  it("the only readable namespace is hidden, and what is missing elsewhere is reported", () => {
    const yaml =
      "{apiVersion: tierwall.dev/v1, kind: Snapshot, forbidden: [], missing: [], onlyIn: {namespace: shop, resources: [pods, services]}}";
    expect(itemsOf(`${yaml}\n---\n{apiVersion: v1, kind: Node, metadata: {name: n}}`)).toContainEqual(
      expect.objectContaining({ onlyIn: { namespace: called("shop"), resources: ["pods", "services"] } }),
    );
    expect(readState([{ file: "a.yaml", text: yaml }]).diagnostics.map(({ message }) => message)).toContain(
      "pods, services can be read only in namespace `shop`; answers assume that there are none elsewhere",
    );
  });

  const policy = (spec: string, metadata = "name: guard") => `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {uid: u, ${metadata}}
spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ${spec}}
`;
  const codesOf = (text: string) =>
    readState([{ file: "a", text }])
      .diagnostics.map(({ code }) => code)
      .toSorted();

  it("Kubernetes' own labels keep their keys, and what they name is named as elsewhere", () => {
    const [namespace] = itemsOf(
      "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {kubernetes.io/metadata.name: shop, team: shop}}}",
    );
    expect(namespace!.metadata).toEqual({
      name: called("shop"),
      labels: { "kubernetes.io/metadata.name": called("shop"), [called("team")]: called("shop") },
    });
  });

  it("a ReplicaSet is still found to be its Deployment's", () => {
    const pod = `apiVersion: v1
kind: Pod
metadata:
  {name: web-6d4-x, namespace: shop, labels: {pod-template-hash: 6d4},
   ownerReferences: [{kind: ReplicaSet, name: web-6d4, controller: true}]}`;
    const { text } = snapshotOf([{ file: "a", text: pod }], { redact: hash });
    const { workloads } = readState([{ file: "b", text }]).cluster;
    expect(workloads).toMatchObject([{ kind: "Deployment", name: called("web") }]);
  });

  it("policies keep the order of their names", () => {
    const names = ["b", "a", "c"];
    const items = itemsOf(names.map((name) => policy("", `name: ${name}`)).join("---"));
    const redacted = new Map(
      names.map((name) => [
        name,
        items
          .map(({ metadata }) => (metadata as { name: string }).name)
          .find((one) => one.endsWith(hash(name)))!,
      ]),
    );
    expect([...redacted].toSorted(([, x], [, y]) => (x < y ? -1 : 1)).map(([name]) => name)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  it("addresses, ports and words of the API stay", () => {
    const [item] = itemsOf(
      policy(
        'egress: [{name: r, action: Deny, to: [{networks: ["10.0.0.0/8"]}], protocols: [{tcp: {destinationPort: {number: 80}}}]}]',
      ),
    );
    expect(item!.spec).toEqual({
      tier: "Admin",
      priority: 1,
      subject: { namespaces: {} },
      egress: [
        {
          name: called("r"),
          action: "Deny",
          to: [{ networks: ["10.0.0.0/8"] }],
          protocols: [{ tcp: { destinationPort: { number: 80 } } }],
        },
      ],
    });
  });

  it("Tierwall's annotations stay, without free text", () => {
    const annotations = `{tierwall.dev/enforcement: shadow, tierwall.dev/lint-ignore: "TW4001: Bob said so", owner: bob}`;
    const [item] = itemsOf(policy("", `name: guard, annotations: ${annotations}`));
    expect(item!.metadata).toMatchObject({ annotations: { "tierwall.dev/enforcement": "shadow" } });
    expect(JSON.stringify(item)).not.toMatch(/bob/i);
  });

  it.each([
    ["a field that is not known", "egress: [{action: Deny, to: [{regions: [eu-west]}]}]"],
    ["a word that is not known", "egress: [{action: Forbid, to: [{namespaces: {}}]}]"],
    ["an invalid CIDR", "egress: [{action: Deny, to: [{networks: [10.0.0.0/33]}]}]"],
    ["an invalid label", 'egress: [{action: Deny, to: [{namespaces: {matchLabels: {a: "b c"}}}]}]'],
    ["a name that is too long", `egress: [{name: ${"r".repeat(101)}, action: Deny, to: [{namespaces: {}}]}]`],
  ])("what fails closed still does: %s", (_, spec) => {
    const before = codesOf(policy(spec));
    expect(before).not.toEqual([]);
    expect(codesOf(snapshotOf([{ file: "a", text: policy(spec) }], { redact: hash }).text)).toEqual(before);
  });

  it("domain names stay subdomains, and labels match the same wildcards", () => {
    const cilium = `
apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: c}
spec:
  endpointSelector: {}
  egress: [{toFQDNs: [{matchName: api-1.Example.com}, {matchPattern: "api-*.example.com"}, {matchPattern: "*.example.com"}]}]`;
    const [item] = itemsOf(cilium);
    const below = `${called("example")}.${called("com")}`;
    expect(item!.spec).toMatchObject({
      egress: [
        {
          toFQDNs: [
            { matchName: `api-1.${below}` },
            { matchPattern: `api-*.${below}` },
            { matchPattern: `*.${below}` },
          ],
        },
      ],
    });
  });
});
