import { describe, expect, it } from "vitest";
import { explain } from "../analysis/explain/explain.js";
import { parseEndpoint, parseTarget } from "../analysis/endpoints/endpoint-ref.js";
import { isConntrack } from "../analysis/replay/records.js";
import { readState } from "../state/state.js";
import { domainMatches } from "../evaluate/domain.js";
import { world } from "../../testing/world.js";

/*
 * Malicious input: names that every JavaScript object has, and texts on which some expressions take forever. What would hang
 * does so for hours; a slow machine takes a second.
 */

const ownNames = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf"];

describe("names that every object has", () => {
  it.each(ownNames.filter((name) => !name.startsWith("_")))("`%s` as a label means a label", (key) => {
    const pod = (name: string, labels: object) =>
      JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { namespace: "a", name, labels } });
    const policy = JSON.stringify({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { namespace: "a", name: "only" },
      spec: {
        podSelector: { matchLabels: { app: "server" } },
        ingress: [{ from: [{ podSelector: { matchExpressions: [{ key, operator: "Exists" }] } }] }],
      },
    });
    const { verdict } = world(
      [pod("with", { [key]: "x" }), pod("without", {}), pod("server", { app: "server" }), policy].join(
        "\n---\n",
      ),
    );
    expect(verdict("a/with -> a/server:80")).toBe("Allow");
    expect(verdict("a/without -> a/server:80")).toBe("Deny");
  });

  it.each(ownNames)("`%s` as a key of a manifest changes nothing but the manifest", (key) => {
    for (const text of [
      `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b", "labels": {"${key}": "x"}}, "${key}": {"polluted": true}}`,
      `apiVersion: v1\nkind: Pod\n${key}: {polluted: true}\nmetadata: {name: a, namespace: b, labels: {"${key}": x}}\n`,
      `x: &x {${key}: {polluted: true}}\napiVersion: v1\nkind: Pod\nmetadata: {<<: *x, name: a, namespace: b}\n`,
    ]) {
      const { cluster } = readState([{ file: "a.yaml", text }], { keepGoing: true });
      expect(cluster.pods.size).toBe(1);
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    }
  });

  it.each(ownNames)("`%s` as the name of a pod or namespace that does not exist", (name) => {
    const { state } = world("{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: b}}");
    const from = parseEndpoint(`${name}/${name}`);
    const to = parseTarget("a/b:80");
    if (!from.ok || !to.ok) return;
    const answer = explain(state, { from: from.value, to: to.value.endpoint, port: to.value.port });
    expect(answer.ok).toBe(false);
  });
});

describe("texts on which some expressions take forever", () => {
  const stars = `${"a*".repeat(30)}b`;
  it("a domain pattern with many stars", () => {
    expect(
      domainMatches({ kind: "pattern", text: `${stars}.example.com` }, `${"a".repeat(63)}.example.com`),
    ).toBe(false);
    expect(domainMatches({ kind: "pattern", text: `**.${stars}` }, `x.${"a".repeat(63)}`)).toBe(false);
  });

  it.each([
    ["an invalid number", `a: ${"1".repeat(1_000_000)}x\n`],
    ["a number with many underscores", `a: 1${"_".repeat(1_000_000)}x\n`],
    ["a long run of spaces", `a: b${" ".repeat(1_000_000)}c\n`],
    ["a long line of dashes", `${"- ".repeat(20_000)}x\n`],
    ["many colons", `a: ${"b:".repeat(300_000)}\n`],
    ["many quotes", `a: ${'"'.repeat(3_001)}\n`],
    ["many brackets", "[".repeat(300_000)],
    ["many aliases", `a: &a x\nb: [${"*a, ".repeat(50_000)}]\n`],
    ["many documents", "---\n".repeat(3_000)],
    ["many comments", "# x\n".repeat(20_000)],
    ["JSON that is nested deeply", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["JSON with a long text", JSON.stringify({ a: '\\"'.repeat(500_000) })],
  ])(
    "%s",
    (_what, text) => {
      expect(() => readState([{ file: "a.yaml", text }])).not.toThrow();
    },
    300_000,
  );

  it("a label, a name and an annotation of a megabyte each", () => {
    const long = "a".repeat(1_000_000);
    const state = readState([
      {
        file: "a.yaml",
        text: JSON.stringify({
          apiVersion: "networking.k8s.io/v1",
          kind: "NetworkPolicy",
          metadata: {
            namespace: `${long}!`,
            name: `${long}.`,
            labels: { [`${long}/`]: `${long}-` },
            annotations: { "tierwall.dev/lint-ignore": `TW1001:${" ".repeat(1_000_000)}x` },
          },
          spec: { podSelector: { matchLabels: { [`${long}_`]: long } } },
        }),
      },
    ]);
    expect(state.usable).toBe(false);
    for (const { message } of state.diagnostics) expect(message.length).toBeLessThanOrEqual(4000);
  });

  it("a line of a flow log", () => {
    expect(isConntrack(`tcp 6${" ".repeat(1_000_000)}x`)).toBe(false);
    expect(isConntrack(`tcp 6 ${"1 ".repeat(500_000)}`)).toBe(false);
  });
});
