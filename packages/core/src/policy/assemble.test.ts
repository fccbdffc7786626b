import { describe, expect, it } from "vitest";
import { assembleTiers, type Lowered } from "./assemble.js";
import type { DialectId, IsolationOrigin } from "./model.js";

const byPolicy = (dialect: DialectId, kind: string, namespace: string, name: string): IsolationOrigin => ({
  kind: "policy",
  policy: {
    dialect,
    group: "",
    version: "v1",
    kind,
    namespace,
    name,
    annotations: {},
    place: () => undefined,
  },
});

const isolating = (origin: IsolationOrigin): Lowered => ({
  rules: [],
  isolation: [
    { tier: "network-policy", direction: "ingress", subject: { namespaces: [], pods: [] }, origin },
  ],
});

describe("isolation of one tier", () => {
  const inOrder = [
    { kind: "option", option: "--cilium-enforcement always" },
    byPolicy("network-policy", "NetworkPolicy", "shop", "a"),
    byPolicy("network-policy", "NetworkPolicy", "bank", "a-b"),
    byPolicy("network-policy", "NetworkPolicy", "shop", "a-b"),
    byPolicy("cilium", "CiliumNetworkPolicy", "bank", "a"),
  ] as const satisfies readonly IsolationOrigin[];

  it.each([
    ["as it is", [0, 1, 2, 3, 4]],
    ["backwards", [4, 3, 2, 1, 0]],
    ["in between", [2, 4, 0, 3, 1]],
  ])("S1.12: comes by option, dialect, name and namespace, the input being %s", (_, order) => {
    const { ingress } = assembleTiers(order.map((i) => isolating(inOrder[i]!)));
    expect(ingress[0]?.isolation.map(({ origin }) => origin)).toEqual(inOrder);
  });
});
