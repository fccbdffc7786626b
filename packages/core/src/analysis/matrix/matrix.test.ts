import { describe, expect, test } from "vitest";
import { compile } from "../../engine/engine.js";
import { cellText } from "../../report/matrix/matrix-groups.js";
import { matrixEndText } from "../../report/party-json.js";
import { appPod, networkPolicy, pod } from "../../../testing/manifests.js";
import { everything, matrixIn, shopYaml } from "../../../testing/matrix-world.js";
import { world } from "../../../testing/world.js";
import type { StateOptions } from "../../state/state.js";
import { matrixOf } from "./matrix.js";
import type { MatrixQuestion } from "./question.js";

/** `shop/web -> payments/api: 443/TCP ~9000/TCP`; `~` is for some of the pods only, `?` undecided, `-` nothing. */
function connectionsIn(
  yaml: string,
  question: Partial<MatrixQuestion> = {},
  { denied = false, ...options }: StateOptions & { denied?: boolean } = {},
): readonly string[] {
  const { matrix } = matrixIn(yaml, question, options);
  return Array.from(
    matrix.connections({ denied }),
    ({ from, to, cell }) => `${matrixEndText(from)} -> ${matrixEndText(to)}: ${cellText(cell)}`,
  );
}

const inside = (lines: readonly string[]) => lines.filter((line) => !/node|\d\.\d|::/.test(line));

describe("who can reach whom", () => {
  test("by workload: what some pods may do, and of this what only some may", () => {
    expect(inside(connectionsIn(shopYaml))).toEqual([
      "shop/web -> payments/api: 443/TCP ~9000/TCP",
      "shop/web -> payments/ledger: any",
      "shop/web -> shop/web: any",
    ]);
  });

  test("by pod", () => {
    expect(inside(connectionsIn(shopYaml, { by: "pod" }))).toEqual([
      "shop/web-1 -> payments/api: 443,9000/TCP",
      "shop/web-1 -> payments/ledger: any",
      "shop/web-1 -> shop/web-2: any",
      "shop/web-2 -> payments/api: 443/TCP",
      "shop/web-2 -> payments/ledger: any",
      "shop/web-2 -> shop/web-1: any",
    ]);
  });

  test("by namespace", () => {
    expect(inside(connectionsIn(shopYaml, { by: "namespace" }))).toEqual([
      "namespace shop -> namespace payments: 443/TCP ~any",
      "namespace shop -> namespace shop: any",
    ]);
  });

  test("pairs without allowed ports are reported on demand", () => {
    expect(inside(connectionsIn(shopYaml, { to: ["payments/api"] }, { denied: true }))).toEqual([
      "payments/ledger -> payments/api: -",
      "shop/web -> payments/api: 443/TCP ~9000/TCP",
    ]);
  });

  test("S1.6: a single pod cannot connect to itself; a template represents replicas that connect to each other", () => {
    const one = pod("a/one", { ips: ["10.0.0.1"] });
    const template = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: many, namespace: a}\nspec: {}";
    expect(inside(connectionsIn(`${one}---\n${template}`))).toEqual([
      "a/many -> a/many: any",
      "a/many -> a/one: any",
      "a/one -> a/many: any",
    ]);
  });

  test("S1.6: a node reaches its own pods whatever the policies say; others do not", () => {
    expect(connectionsIn(shopYaml, { from: ["node:worker-1"], to: ["payments"] })).toEqual([
      "node worker-1 -> payments/api: any",
      "node worker-1 -> payments/ledger: any",
    ]);
  });

  test("external addresses come as longest runs with the same answer", () => {
    expect(connectionsIn(shopYaml, { from: ["payments/api"], to: ["0.0.0.0/0", "::/0"] })).toEqual([
      "payments/api -> 203.0.113.0/29: 443/TCP",
      "payments/api -> 203.0.113.9-203.0.113.255: 443/TCP",
    ]);
    expect(connectionsIn(shopYaml, { from: ["0.0.0.0/0"], to: ["payments", "shop"] })).toEqual([
      "0.0.0.0/0 -> payments/ledger: any",
      "0.0.0.0/0 -> shop/web: any",
    ]);
  });

  test("S1.15: a family that denies what the other allows makes it partly", () => {
    const old = networkPolicy("a/old", {
      podSelector: "{matchLabels: {app: server}}",
      ingress: "[{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]",
    });
    const yaml =
      pod("a/client", { ips: ["10.0.0.1", "fd00::1"] }) +
      appPod("a/server", { ips: ["10.0.0.2", "fd00::2"] }) +
      old;
    expect(connectionsIn(yaml, { from: ["a/client"], to: ["a/server"] })).toEqual([
      "a/client -> a/server: ~any",
    ]);
  });
});

describe("what is undecided", () => {
  const yaml = `
apiVersion: v1
kind: Pod
metadata: {name: client, namespace: a}
status: {podIP: 10.0.0.1}
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: names}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  egress:
  - {action: Accept, to: [{domainNames: [example.com]}], protocols: [{tcp: {destinationPort: {number: 443}}}]}
  - {action: Deny, to: [{networks: [0.0.0.0/0]}]}
`;
  test.each([
    ["show", ["a/client -> 192.0.2.0/24: ?443/TCP"]],
    ["allow", ["a/client -> 192.0.2.0/24: 443/TCP"]],
    ["deny", []],
  ] as const)("%s", (undecided, lines) => {
    expect(connectionsIn(yaml, { from: ["a/client"], to: ["192.0.2.0/24"], undecided })).toEqual(lines);
  });

  test("facts decide it", () => {
    const dns = [{ name: "example.com", addresses: [{ family: 4, value: 0xc0000201n }] }] as const;
    expect(connectionsIn(yaml, { from: ["a/client"], to: ["192.0.2.0/24"] }, { facts: { dns } })).toEqual([
      "a/client -> 192.0.2.1/32: 443/TCP",
    ]);
  });
});

describe("filters", () => {
  test.each<[string, Partial<MatrixQuestion>, readonly string[]]>([
    ["a pod of a workload", { from: ["shop/web-2"] }, ["shop/web -> payments/api: 443/TCP"]],
    ["a pod by its address", { from: ["10.0.0.1"] }, ["shop/web -> payments/api: 443,9000/TCP"]],
    ["a workload", { from: ["shop/StatefulSet/web"] }, ["shop/web -> payments/api: 443/TCP ~9000/TCP"]],
    ["a namespace", { from: ["shop"] }, ["shop/web -> payments/api: 443/TCP ~9000/TCP"]],
    ["a pattern", { from: ["sh*/web-*"] }, ["shop/web -> payments/api: 443/TCP ~9000/TCP"]],
    ["a node", { from: ["node:*"] }, ["node worker-1 -> payments/api: any"]],
    [
      "several",
      { from: ["node:worker-1", "shop/web-2"] },
      ["shop/web -> payments/api: 443/TCP", "node worker-1 -> payments/api: any"],
    ],
    [
      "a namespace of the source or the destination",
      { namespaces: ["shop"] },
      ["shop/web -> payments/api: 443/TCP ~9000/TCP"],
    ],
    [
      "labels of the source or the destination",
      { labels: [{ key: "version", operator: "In", values: ["v1"] }] },
      ["shop/web -> payments/api: 443,9000/TCP"],
    ],
    [
      "a port",
      { from: ["shop"], ports: [{ kind: "number", port: 9000, protocol: "TCP" }] },
      ["shop/web -> payments/api: ~9000/TCP"],
    ],
    ["ICMP", { from: ["node:*"], ports: [{ kind: "icmp" }] }, ["node worker-1 -> payments/api: ICMP"]],
    ["a port that no source may use", { from: ["shop"], ports: [{ kind: "icmp" }] }, []],
  ])("%s", (_, question, lines) => {
    expect(connectionsIn(shopYaml, { to: ["payments/api"], ...question })).toEqual(lines);
  });

  test.each<[Partial<MatrixQuestion>, string]>([
    [{ from: ["shp"] }, "TW1502 there is no namespace `shp`; did you mean `shop`?"],
    [{ to: ["shop/wbe"] }, "TW1502 there is no pod or workload `shop/wbe`; did you mean `shop/web`?"],
    [{ to: ["x*/y"] }, "TW1502 there is no pod or workload like `x*/y`"],
    [{ to: ["node:x*"] }, "TW1502 there is no node like `node:x*`"],
    [{ to: ["x*"] }, "TW1502 there is no namespace `x*`"],
    [{ namespaces: ["nowhere"] }, "TW1502 there is no namespace `nowhere`"],
    [
      { namespaces: ["shop"], labels: [{ key: "app", operator: "In", values: ["db"] }] },
      "TW1502 there is no pod in namespace `shop` with `app=db`",
    ],
    [{ to: ["a/b/c*"] }, "TW1501 `a/b/c*` is not a pattern; write `NAMESPACE/NAME` with `*` in it"],
    [
      { from: ["new:team=a/app=web"] },
      "TW1501 `new:team=a/app=web` does not exist yet; ask about it with `tierwall explain`, or add it to the input",
    ],
    [
      { ports: [{ kind: "named", name: "http" }] },
      "TW1503 `http` may be another number for each pod; write the number, as in `80/TCP`",
    ],
  ])("refused: %o", (question, message) => {
    const { state } = world(shopYaml);
    const made = matrixOf(compile(state.cluster, state.tiers), { ...everything, ...question });
    expect(made.ok ? "" : `${made.diagnostic.code} ${made.diagnostic.message}`).toBe(message);
  });
});
