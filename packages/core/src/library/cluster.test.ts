import { describe, expect, test } from "vitest";
import { diagnostic } from "../diagnostics/diagnostic.js";
import { Cluster } from "./cluster.js";

const text = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop, labels: {app: cart}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, labels: {app: web}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: cart, namespace: shop}
spec:
  podSelector: {matchLabels: {app: cart}}
  ingress: [{ports: [{port: 80}]}]
`;
const cluster = Cluster.read([{ file: "shop.yaml", text }]);
const open = Cluster.read([{ file: "shop.yaml", text: text.replace("port: 80", "port: 81") }]);

describe("a question", () => {
  test.each([
    ["shop/web", "shop/cart:80", undefined, "Allow"],
    ["shop/web", "shop/cart", "81/TCP", "Deny"],
    ["shop/web", "shop/cart", "ICMP", "Deny"],
    ["shop/web", "shop/cart", undefined, "Mixed"],
    ["shop/cart", "shop/web", undefined, "Allow"],
  ])("%s to %s, port %s: %s", (from, to, port, verdict) => {
    expect(cluster.verdict(from, to, port)).toEqual({ ok: true, value: verdict });
    const explained = cluster.explain(from, to, port);
    expect(explained.ok && explained.value.verdict).toBe(verdict);
  });

  test.each([
    [cluster.verdict("nonsense", "shop/cart"), "TW1501"],
    [cluster.explain("shop/web", "shop/cart:99999"), "TW1503"],
    [cluster.explain("shop/web", "shop/cart:80", "80"), "TW1501"],
    [cluster.lookup("shop/absent"), "TW1502"],
    [cluster.matrix({ ports: ["0"] }), "TW1503"],
    [cluster.matrix({ selector: "a=(" }), "TW1502"],
    [cluster.matrix({ namespaces: ["nowhere"] }), "TW1502"],
  ])("%# that cannot be answered gives a diagnostic", (result, code) => {
    expect(!result.ok && result.diagnostic.code).toBe(code);
  });
});

describe("input with errors", () => {
  const broken = Cluster.read([{ file: "shop.yaml", text: text.replace("podSelector", "podselector") }]);

  test("is not usable, and every question gives its first error", () => {
    expect(broken.usable).toBe(false);
    const answers = [
      broken.verdict("shop/web", "shop/cart:80"),
      broken.matrix(),
      broken.lookup("shop/cart"),
      broken.diff(cluster),
      cluster.diff(broken),
    ];
    for (const answer of answers) expect(!answer.ok && answer.diagnostic.severity).toBe("error");
    expect(broken.lint().report.complete).toBe(false);
  });

  test("is usable with keepGoing", () => {
    const rest = Cluster.read(broken.sources, { keepGoing: true });
    expect(rest.verdict("shop/web", "shop/cart:81")).toEqual({ ok: true, value: "Allow" });
  });

  test("can be known to the caller alone", () => {
    const unread = diagnostic("TW1004", "`other.yaml` cannot be read");
    const partly = new Cluster({ state: cluster.state, diagnostics: [unread, ...cluster.diagnostics] });
    expect(partly.verdict("shop/web", "shop/cart:80")).toEqual({ ok: false, diagnostic: unread });
  });
});

test("a matrix is written in every format, and its JSON is what its connections are", () => {
  const matrix = cluster.matrix({ to: ["shop/cart"], from: ["shop/web"] });
  if (!matrix.ok) throw new Error(matrix.diagnostic.message);
  for (const format of ["text", "json", "csv", "md", "dot", "svg"] as const)
    expect([...matrix.value.lines(format)].join("\n")).toContain("cart");
  const { connections } = JSON.parse([...matrix.value.lines("json")].join("")) as { connections: unknown[] };
  expect(connections).toHaveLength([...matrix.value.connections()].length);
});

test("a diff is between this state and that one", () => {
  const same = cluster.diff(cluster);
  expect(same.ok && same.value.changed).toBe(false);
  const other = cluster.diff(open, "pod");
  if (!other.ok) throw new Error(other.diagnostic.message);
  expect(other.value.changed).toBe(true);
  expect(other.value.json()).toMatchObject({ kind: "Diff", remarks: [] });
  expect(other.value.markdown()).toContain("Network policy changes");
});

test("lint is asked once", () => {
  expect(cluster.lint()).toBe(cluster.lint());
  expect(cluster.lint().json()).toMatchObject({ kind: "LintReport" });
});

test("an option that is not a CIDR throws", () => {
  expect(() => Cluster.read([], { podCidrs: ["ten"] })).toThrow("`ten` is not a CIDR");
});
