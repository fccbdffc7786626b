import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatMatch,
  holds,
  type Labels,
  namespaceNamed,
  type Requirement,
  selects,
  toMatch,
} from "./requirement.js";

const labels: Labels = { app: "web", tier: "front", empty: "" };

describe("S1.10: one condition, against {app: web, tier: front, empty: ''}", () => {
  const cases: readonly (readonly [string, Requirement["operator"], readonly string[], boolean])[] = [
    ["app", "In", ["web"], true],
    ["app", "In", ["db", "web"], true],
    ["app", "In", ["db"], false],
    ["app", "In", [], false],
    ["zone", "In", ["a"], false],
    ["zone", "In", [""], false],
    ["empty", "In", [""], true],
    ["app", "NotIn", ["web"], false],
    ["app", "NotIn", ["db"], true],
    ["app", "NotIn", ["db", "web"], false],
    ["zone", "NotIn", ["a"], true],
    ["empty", "NotIn", [""], false],
    ["app", "Exists", [], true],
    ["empty", "Exists", [], true],
    ["zone", "Exists", [], false],
    ["app", "DoesNotExist", [], false],
    ["empty", "DoesNotExist", [], false],
    ["zone", "DoesNotExist", [], true],
    // Properties that every JavaScript object has are not labels.
    ["constructor", "Exists", [], false],
    ["toString", "DoesNotExist", [], true],
    ["__proto__", "Exists", [], false],
  ];
  it.each(cases)("%s %s %j: %s", (key, operator, values, expected) =>
    expect(holds({ key, operator, values }, labels)).toBe(expected),
  );
});

describe("S1.10: a selector", () => {
  it("`{}` selects everything, also what has no labels", () => {
    expect(selects(toMatch({}), labels)).toBe(true);
    expect(selects(toMatch({}), {})).toBe(true);
    expect(selects(toMatch({ matchLabels: {}, matchExpressions: [] }), {})).toBe(true);
  });

  it("matchLabels and matchExpressions are ANDed, each with itself and with the other", () => {
    const tier = { key: "tier", operator: "In", values: ["front"] } as const;
    const noApp = { key: "app", operator: "DoesNotExist" } as const;
    expect(selects(toMatch({ matchLabels: { app: "web", tier: "front" } }), labels)).toBe(true);
    expect(selects(toMatch({ matchLabels: { app: "web", tier: "back" } }), labels)).toBe(false);
    expect(selects(toMatch({ matchExpressions: [tier] }), labels)).toBe(true);
    expect(selects(toMatch({ matchExpressions: [tier, noApp] }), labels)).toBe(false);
    expect(selects(toMatch({ matchLabels: { app: "web" }, matchExpressions: [tier] }), labels)).toBe(true);
    expect(selects(toMatch({ matchLabels: { app: "db" }, matchExpressions: [tier] }), labels)).toBe(false);
    expect(selects(toMatch({ matchLabels: { app: "web" }, matchExpressions: [noApp] }), labels)).toBe(false);
  });

  it("values are compared as they are: case and space count", () => {
    expect(selects(toMatch({ matchLabels: { app: "Web" } }), labels)).toBe(false);
    expect(selects(toMatch({ matchLabels: { App: "web" } }), labels)).toBe(false);
  });

  it("a namespace is known by the label that carries its name", () => {
    expect(selects(namespaceNamed("shop"), { "kubernetes.io/metadata.name": "shop" })).toBe(true);
    expect(selects(namespaceNamed("shop"), { "kubernetes.io/metadata.name": "shop-2" })).toBe(false);
    expect(selects(namespaceNamed("shop"), { name: "shop" })).toBe(false);
  });
});

describe("laws", () => {
  const word = fc.constantFrom("a", "b", "c", "");
  const someLabels = fc.dictionary(fc.constantFrom("k", "l", "m"), word);
  const key = fc.constantFrom("k", "l", "m", "n");
  const values = fc.array(word, { minLength: 1, maxLength: 3 });

  it("NotIn is the complement of In, DoesNotExist that of Exists", () => {
    fc.assert(
      fc.property(someLabels, key, values, (given, k, list) => {
        expect(holds({ key: k, operator: "NotIn", values: list }, given)).toBe(
          !holds({ key: k, operator: "In", values: list }, given),
        );
        expect(holds({ key: k, operator: "DoesNotExist", values: [] }, given)).toBe(
          !holds({ key: k, operator: "Exists", values: [] }, given),
        );
      }),
    );
  });

  it("the order of conditions does not matter, and more of them never select more", () => {
    const requirement: fc.Arbitrary<Requirement> = fc.record({
      key,
      operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist"),
      values,
    });
    fc.assert(
      fc.property(someLabels, fc.array(requirement, { maxLength: 4 }), requirement, (given, match, more) => {
        const backwards = match.map((_, i) => match.at(-1 - i)).filter((r) => r !== undefined);
        expect(selects(backwards, given)).toBe(selects(match, given));
        if (selects([...match, more], given)) expect(selects(match, given)).toBe(true);
      }),
    );
  });

  it("matchLabels are conditions with one value", () => {
    fc.assert(
      fc.property(someLabels, someLabels, (given, wanted) => {
        const matchExpressions = Object.entries(wanted).map(([k, value]) => ({
          key: k,
          operator: "In" as const,
          values: [value],
        }));
        expect(selects(toMatch({ matchLabels: wanted }), given)).toBe(
          selects(toMatch({ matchExpressions }), given),
        );
      }),
    );
  });
});

describe("selectors in words, as kubectl takes them", () => {
  it.each([
    [[], "everything"],
    [[{ key: "app", operator: "In", values: ["web"] }], "app=web"],
    [[{ key: "tier", operator: "In", values: ["a", "b"] }], "tier in (a, b)"],
    [[{ key: "app", operator: "NotIn", values: ["web"] }], "app!=web"],
    [[{ key: "tier", operator: "NotIn", values: ["a", "b"] }], "tier not in (a, b)"],
    [[{ key: "app", operator: "Exists", values: [] }], "app"],
    [[{ key: "app", operator: "DoesNotExist", values: [] }], "!app"],
    [
      [
        { key: "app", operator: "Exists", values: [] },
        { key: "legacy", operator: "DoesNotExist", values: [] },
      ],
      "app, !legacy",
    ],
  ] satisfies [Requirement[], string][])("%j: %s", (match, text) => expect(formatMatch(match)).toBe(text));
});
