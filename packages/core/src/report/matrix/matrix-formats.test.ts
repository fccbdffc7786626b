import { describe, expect, test } from "vitest";
import { Reasons } from "../../analysis/matrix/reasons.js";
import type { MatrixQuestion } from "../../analysis/matrix/question.js";
import { matrixIn, shopYaml } from "../../../testing/matrix-world.js";
import { matrixCsv } from "./matrix-csv.js";
import { matrixDot } from "./matrix-dot.js";
import { type MatrixReport, matrixReportJson } from "./matrix-report.js";
import { matrixJson } from "./matrix-json.js";
import { matrixMarkdown } from "./matrix-markdown.js";
import { pictureOf } from "./matrix-picture.js";
import { matrixSvg } from "./matrix-svg.js";
import { matrixText } from "./matrix-text.js";
import { noStyle } from "../style.js";

const { engine, matrix } = matrixIn(shopYaml);
const shown = { denied: false };
const joined = (lines: Iterable<string>) => [...lines].join("\n");
const narrow = (question: Partial<MatrixQuestion>) => matrixIn(shopYaml, question).matrix;

describe("text", () => {
  test("how many first, then source by source; those that reach the same together", () => {
    expect(joined(matrixText(matrix, { ...shown, style: noStyle }))).toBe(`\
12 of 20 pairs can connect, among 3 workloads, 1 node and external addresses

payments/api, payments/ledger →
  443/TCP               203.0.113.0/29, 203.0.113.9-203.0.113.255

shop/web →
  443/TCP ~9000/TCP     payments/api
  any                   payments/ledger, shop/web, node worker-1, 0.0.0.0/0

node worker-1 →
  any                   payments/*, shop/web

0.0.0.0/0 →
  any                   payments/ledger, shop/web

::/0 →
  any                   payments/ledger

~ for some of their pods only
Nodes reach each other and every external address: no policies apply to them.`);
  });

  test("as much as there is room for", () => {
    const text = joined(matrixText(matrix, { ...shown, style: noStyle, lines: 2 }));
    expect(text).toContain("payments/api, payments/ledger →");
    expect(text).not.toContain("shop/web →");
    expect(text).toMatch(/…and 4 more sources \(-o json for all; --from, --to, -n and -l for less\)$/);
  });

  test("pairs that may do nothing", () => {
    const one = narrow({ from: ["payments/api"], to: ["shop/web"] });
    expect(joined(matrixText(one, { denied: true, style: noStyle }))).toBe(`\
0 of 1 pair can connect, among 2 workloads

payments/api →
  -                     shop/web

- nothing is allowed`);
  });
});

describe("JSON", () => {
  const parsed = (question: Partial<MatrixQuestion>, denied = false) =>
    JSON.parse(joined(matrixJson(narrow(question), { denied }))) as unknown;

  test("a connection has its endpoints, what is allowed, and what only some may", () => {
    expect(parsed({ to: ["payments/api"], from: ["shop"] })).toEqual({
      apiVersion: "tierwall.dev/v1",
      kind: "Matrix",
      by: "workload",
      connections: [
        {
          from: { kind: "workload", namespace: "shop", name: "web", workload: "StatefulSet" },
          to: { kind: "workload", namespace: "payments", name: "api", workload: "Pod" },
          allowed: [{ protocol: "TCP", ports: "443,9000" }],
          partly: [{ protocol: "TCP", ports: "9000" }],
          undecided: [],
        },
      ],
    });
  });

  test.each<[string, Partial<MatrixQuestion>, unknown]>([
    [
      "every protocol is any; a node",
      { from: ["node:worker-1"], to: ["shop"] },
      {
        from: { kind: "node", name: "worker-1" },
        to: { kind: "workload", namespace: "shop", name: "web", workload: "StatefulSet" },
        allowed: [{ protocol: "any" }],
        undecided: [],
      },
    ],
    [
      "an external range",
      { from: ["payments/api"], to: ["203.0.113.0/29"] },
      {
        from: { kind: "workload", namespace: "payments", name: "api", workload: "Pod" },
        to: { kind: "external", range: "203.0.113.0/29" },
        allowed: [{ protocol: "TCP", ports: "443" }],
        undecided: [],
      },
    ],
    [
      "a pod, and ICMP",
      { by: "pod", from: ["shop/web-1"], to: ["shop/web-2"], ports: [{ kind: "icmp" }] },
      {
        from: { kind: "pod", namespace: "shop", name: "web-1" },
        to: { kind: "pod", namespace: "shop", name: "web-2" },
        allowed: [{ protocol: "ICMP" }],
        undecided: [],
      },
    ],
    [
      "a namespace",
      { by: "namespace", from: ["shop"], to: ["shop"], ports: [{ kind: "all", protocol: "UDP" }] },
      {
        from: { kind: "namespace", name: "shop" },
        to: { kind: "namespace", name: "shop" },
        allowed: [{ protocol: "UDP", ports: "all" }],
        undecided: [],
      },
    ],
  ])("%s", (_, question, connection) => {
    expect(parsed(question)).toMatchObject({ connections: [connection] });
  });

  test("a pair that may do nothing, on demand; and nothing at all", () => {
    const question = { from: ["payments/api"], to: ["shop"] };
    expect(parsed(question)).toMatchObject({ connections: [] });
    expect(parsed(question, true)).toMatchObject({ connections: [{ allowed: [], undecided: [] }] });
  });
});

test("CSV: a line for each protocol of each verdict", () => {
  const question = { from: ["shop", "payments/api"], to: ["payments/api", "203.0.113.0/29", "shop"] };
  expect(joined(matrixCsv(narrow(question), { denied: true }))).toBe(`\
from_kind,from_namespace,from_name,from_workload,to_kind,to_namespace,to_name,to_workload,verdict,protocol,ports
workload,payments,api,Pod,workload,shop,web,StatefulSet,denied,any,all
workload,payments,api,Pod,external,,203.0.113.0/29,,allowed,TCP,443
workload,shop,web,StatefulSet,workload,payments,api,Pod,allowed,TCP,443
workload,shop,web,StatefulSet,workload,payments,api,Pod,partly,TCP,9000
workload,shop,web,StatefulSet,workload,shop,web,StatefulSet,allowed,any,all
workload,shop,web,StatefulSet,external,,203.0.113.0/29,,allowed,any,all`);
});

test("Markdown", () => {
  expect(joined(matrixMarkdown(narrow({ to: ["payments/api"] }), shown))).toBe(`\
**2 of 4 pairs can connect**, among 3 workloads, 1 node and external addresses

| from | to | ports |
|---|---|---|
| \`shop/web\` | \`payments/api\` | 443/TCP \\~9000/TCP |
| \`node worker-1\` | \`payments/api\` | any |

\\~ for some of their pods only`);
});

test("a graph: boxes for namespaces, arrows for connections", () => {
  const dot = joined(matrixDot(narrow({ from: ["shop"], to: ["payments/api", "192.0.2.0/24"] }), shown));
  expect(dot).toContain('subgraph "cluster shop" {');
  expect(dot).toContain('"StatefulSet shop/web" -> "Pod payments/api" [label="443/TCP ~9000/TCP"];');
  expect(dot).toContain('"192.0.2.0/24" [label="192.0.2.0/24", shape=ellipse];');
});

describe("the picture", () => {
  test("has a row for each workload, one for nodes, one for each family outside", () => {
    expect(pictureOf(matrix).ends.map(({ band, label }) => `${band} ${label}`)).toEqual([
      "payments api",
      "payments ledger",
      "shop web",
      " nodes",
      " outside, IPv4",
      " outside, IPv6",
    ]);
  });

  test("is grouped by namespace when there is too much of it", () => {
    const pods = Array.from(
      { length: 70 },
      (_, i) =>
        `apiVersion: v1\nkind: Pod\nmetadata: {name: p${i}, namespace: n${i % 3}}\nstatus: {podIP: 10.0.1.${i}}`,
    );
    const picture = pictureOf(matrixIn(pods.join("\n---\n")).matrix);
    expect(picture.ends.map(({ label }) => label)).toEqual(["n0", "n1", "n2", "outside, IPv4"]);
    expect(picture.subtitle).toBe("70 workloads · grouped by namespace");
  });

  test("is one SVG without anything from elsewhere", () => {
    const svg = joined(matrixSvg(pictureOf(matrix)));
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^]*<\/svg>$/);
    expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|href|@import|url\((?!#)/);
    expect(svg).toContain("<title>shop/web → payments/api: 443/TCP ~9000/TCP</title>");
  });

  test("of nothing is a picture too", () => {
    const nothing = matrixIn("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}").matrix;
    expect(joined(matrixSvg(pictureOf(nothing)))).toContain("0 workloads");
  });
});

describe("what the page of a matrix shows", () => {
  const report = JSON.parse(matrixReportJson(matrix, new Reasons(engine, matrix))) as MatrixReport;

  test("is who decides, to the line", () => {
    const decided = report.decisions.flatMap(({ verdict, by }) => by.map((one) => ({ verdict, ...one })));
    expect(decided).toContainEqual({
      verdict: "Allow",
      tier: "network-policy",
      text: "NetworkPolicy payments/only-v1 rule 1 · test.yaml:44",
    });
    expect(decided).toContainEqual({
      verdict: "Deny",
      tier: "network-policy",
      text: "isolated by NetworkPolicy payments/closed · test.yaml:49",
    });
    expect(new Set(report.decisions.map((one) => JSON.stringify(one))).size).toBe(report.decisions.length);
    expect(report.ends[0]).toEqual(["payments/api", "payments/Pod/api", 0]);
    expect(report.connections.length % 5).toBe(0);
  });

  test("is the picture, with the ports of each cell", () => {
    const { ends, cells } = report.picture;
    const row = (name: string) => ends.findIndex((end) => end.name === name);
    const cell = cells[row("shop/web") * ends.length + row("payments/api")]!;
    expect(report.cells[cell]).toEqual(["partly", "443/TCP ~9000/TCP", "443/TCP", "9000/TCP", ""]);
    expect(cells).toHaveLength(ends.length ** 2);
  });

  test("cannot be ended by text from manifests", () => {
    const yaml = `apiVersion: v1
kind: Pod
metadata: {name: p, namespace: a}
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  egress: [{name: "</script><script>alert(1)</script>", action: Deny, to: [{networks: [10.0.0.0/8]}]}]
`;
    const evil = matrixIn(yaml);
    const json = matrixReportJson(evil.matrix, new Reasons(evil.engine, evil.matrix));
    expect(json).not.toContain("<");
    expect(json).toContain("\\u003c/script>");
  });
});
