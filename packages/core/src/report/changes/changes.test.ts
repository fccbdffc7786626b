import { describe, expect, it } from "vitest";
import { isChanged } from "../../analysis/changes/changes.js";
import { compareStates } from "../../analysis/changes/compare.js";
import type { StateOptions } from "../../state/state.js";
import { world } from "../../../testing/world.js";
import { changesAnnotations, changesMarkdown } from "./changes-markdown.js";
import { annotationText } from "../github-annotation.js";
import { changesJson } from "./changes-json.js";
import { changesText } from "./changes-text.js";
import { markdownText } from "../markdown.js";
import { noStyle } from "../style.js";

const deployment = (namespace: string, name: string) => `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec: {template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: c, ports: [{containerPort: 8080}]}]}}}`;
const cluster = [deployment("shop", "web"), deployment("shop", "cart"), deployment("batch", "job")].join("");
const allow = (to: string) => `
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress:
  - from: [{podSelector: {matchLabels: {app: ${to}}}}]
    ports: [{port: 8080}]`;
const compared = (before: string, after: string, options: StateOptions = {}) =>
  compareStates(world(cluster + before, options).state, world(cluster + after, options).state);
const text = (...states: readonly [string, string]) => changesText(compared(...states), { style: noStyle });

describe("changes as text", () => {
  it("have counts first, then responsible rules, then endpoints", () => {
    expect(text("", allow("cart"))).toBe(
      `newly denied  5 connections  from outside 2 · shop 2 · batch 1
  by NetworkPolicy shop/web (isolation) · test.yaml:18
    2  batch/job, shop/web → shop/web on every port
         was allowed by default
    2  all external addresses → shop/web on every port
         was allowed by default
    1  shop/cart → shop/web :1-8079,8081-65535/TCP all UDP all SCTP ICMP
         was allowed by default`,
    );
  });

  it("name the rule that allows now, and who denied before", () => {
    expect(text(allow("cart"), allow("web"))).toBe(
      `newly denied  1 connection  from shop 1
  by NetworkPolicy shop/web (isolation) · test.yaml:18
    1  shop/cart → shop/web :8080/TCP
         was allowed by NetworkPolicy shop/web rule 1 · test.yaml:24

newly allowed  1 connection  from shop 1
  by NetworkPolicy shop/web rule 1 · test.yaml:24
    1  shop/web → shop/web :8080/TCP
         was denied by NetworkPolicy shop/web (isolation) · test.yaml:18`,
    );
  });

  it("say once who no longer denies", () => {
    expect(text(allow("cart"), "").split("\n").slice(0, 3)).toEqual([
      "newly allowed  5 connections  from outside 2 · shop 2 · batch 1",
      "  no longer denied by NetworkPolicy shop/web (isolation) · test.yaml:18",
      "    2  batch/job, shop/web → shop/web on every port",
    ]);
  });

  it("list added and removed workloads, and report that nothing changed", () => {
    expect(text("", deployment("new", "api"))).toBe("appeared  new/api");
    expect(text(deployment("new", "api"), "")).toBe("disappeared  new/api");
    expect(text(allow("cart"), allow("cart"))).toBe(
      "no difference: the same connections are allowed, denied and undecided",
    );
  });

  it("count what would not fit a screen", () => {
    const many = Array.from({ length: 9 }, (_, i) => deployment(`n${i}`, "api")).join("");
    const policies = Array.from(
      { length: 9 },
      (_, i) => `
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: p, namespace: n${i}}, spec: {podSelector: {}}}`,
    ).join("");
    const changes = compared(many, many + policies);
    const [short, long] = [false, true].map((verbose) => changesText(changes, { style: noStyle, verbose }));
    expect(short).toContain("…and 3 more (-v, or -o json for all)");
    expect(short!.split("\n").length).toBeLessThan(45);
    expect(long).not.toContain("…and");
  });

  it("show what an undecided verdict depends on", () => {
    const domains = `
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: names}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: batch}}}
  egress:
  - action: Accept
    to: [{domainNames: [example.com]}]
  - action: Deny
    to: [{networks: [0.0.0.0/0]}]`;
    expect(text("", domains)).toContain(
      `newly undecided  1 connection  from batch 1
  depends on missing information; decided by ClusterNetworkPolicy names rule 2 ·
    test.yaml:28 or ClusterNetworkPolicy names rule 1 · test.yaml:26
    1  batch/job → 1.0.0.0-100.100.100.199, 100.100.100.201-126.255.255.255,
         128.0.0.0-168.63.129.15, 168.63.129.17-169.253.255.255 and 2 more on
         every port`,
    );
  });
});

describe("changes as JSON", () => {
  it("have both deciders, ports and an example for every row", () => {
    const json = changesJson(compared(allow("cart"), allow("web")));
    expect(json).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Diff",
      by: "workload",
      summary: { newlyDenied: 1, newlyAllowed: 1, newlyUndecided: 0, appeared: 0, disappeared: 0 },
    });
    expect((json.changes as readonly unknown[])[0]).toMatchObject({
      before: "Allow",
      after: "Deny",
      from: [{ kind: "workload", namespace: "shop", name: "cart", workload: "Deployment" }],
      to: [{ kind: "workload", namespace: "shop", name: "web", workload: "Deployment" }],
      ports: [{ protocol: "TCP", ports: "8080" }],
      connections: 1,
      decidedBefore: { ingress: { verdict: "Allow", decidedBy: { type: "rule", name: "web", line: 24 } } },
      decidedAfter: { ingress: { verdict: "Deny", decidedBy: { type: "isolation" } } },
      example: { protocol: "TCP", port: 8080 },
    });
  });
});

describe("changes for pull requests", () => {
  it("are tables", () => {
    expect(changesMarkdown(compared(allow("cart"), allow("web")))).toContain(
      "| 1 | shop/cart | shop/web | :8080/TCP | was allowed by NetworkPolicy shop/web rule 1 · test.yaml:24 | shop/cart → shop/web :8080/TCP |",
    );
    expect(changesMarkdown(compared("", ""))).toContain(
      "No connection is allowed, denied or undecided differently.",
    );
  });

  it("let nothing out of a cell", () => {
    expect(markdownText("a|b `c` <img>\n*d*")).toBe("a\\|b \\`c\\` \\<img\\> \\*d\\*");
  });

  it("are annotations of the lines that are responsible", () => {
    expect(changesAnnotations(compared(allow("cart"), allow("web"))).map(annotationText)).toEqual([
      "::warning file=test.yaml,line=18,col=1,endColumn=33,title=1 connection newly denied::By NetworkPolicy shop/web (isolation) · test.yaml:18%0Afor example shop/cart → shop/web :8080/TCP",
      "::warning file=test.yaml,line=24,col=5,endColumn=53,title=1 connection newly allowed::By NetworkPolicy shop/web rule 1 · test.yaml:24%0Afor example shop/web → shop/web :8080/TCP",
    ]);
  });

  it("escape what would end a command", () => {
    const place = { file: "a,b:c.yaml", line: 1, column: 1, length: 1, offset: 0 };
    expect(annotationText({ level: "error", place, title: "50%, done", message: "x\n::error::y" })).toBe(
      "::error file=a%2Cb%3Ac.yaml,line=1,col=1,endColumn=2,title=50%25%2C done::x%0A::error::y",
    );
  });
});

describe("S9.3: a policy that is not evaluated, and is not the same in both states", () => {
  const guard = (spec: string, name = "guard") => `
---
{apiVersion: crd.projectcalico.org/v1, kind: GlobalNetworkPolicy, metadata: {name: ${name}, resourceVersion: "${spec.length}"}, spec: {${spec}}}`;
  const [allows, denies] = [guard("ingress: [{action: Allow}]"), guard("ingress: [{action: Deny}]")];
  const said =
    "Calico GlobalNetworkPolicy guard was changed: connections that depend on it may be allowed or denied differently";

  it("is a difference, though verdicts are Undecided before and after", () => {
    const changes = compared(allows, denies);
    expect([changes.rows, isChanged(changes)]).toEqual([[], true]);
    expect(text(allows, denies).replace(/\s+/g, " ")).toBe(`not evaluated ${said}`);
    expect(changesMarkdown(changes)).toContain(`\n- Not evaluated: ${said}`);
    expect(changesJson(changes)).toMatchObject({
      summary: { foreign: 1 },
      foreign: [
        { object: "Calico GlobalNetworkPolicy guard", change: "changed", file: "test.yaml", line: 18 },
      ],
    });
    expect(changesAnnotations(changes).map(annotationText)).toEqual([
      expect.stringContaining("Calico GlobalNetworkPolicy guard was changed"),
    ]);
  });

  it("may be added next to others, or removed", () => {
    const both = allows + guard("", "other");
    const changesOf = (before: string, after: string) =>
      compared(before, after).foreign.map(({ object, change }) => `${object} ${change}`);
    expect(changesOf(allows, both)).toEqual(["Calico GlobalNetworkPolicy other added"]);
    expect(changesOf(both, allows)).toEqual(["Calico GlobalNetworkPolicy other removed"]);
  });

  it("is none where only its metadata or its version differs", () => {
    const noted = allows.replace("metadata: {", "metadata: {labels: {a: b}, ").replace("/v1", "/v3");
    expect(isChanged(compared(allows, noted))).toBe(false);
    expect(text(allows, noted)).toContain("no difference");
  });
});
