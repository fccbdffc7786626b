import { boolean, list, object, oneOf, type Schema, string } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { structural } from "./structural.js";

const description = "What it is.";
const word = { name: "short-word", patterns: ["^[a-z]+$", "^.{1,5}$"], check: () => [] };

describe("the structural schema of", () => {
  it.each<[what: string, Schema, expected: object]>([
    ["a text", string(description), { type: "string" }],
    ["a text of some length", string(description, { maxLength: 9 }), { type: "string", maxLength: 9 }],
    [
      "a text in a format: every pattern of it",
      string(description, { format: word }),
      { type: "string", pattern: "^[a-z]+$", allOf: [{ pattern: "^.{1,5}$" }] },
    ],
    ["a choice", oneOf(description, ["a", "b"]), { type: "string", enum: ["a", "b"] }],
    [
      "a choice with a default",
      oneOf(description, ["a", "b"], "a"),
      { type: "string", enum: ["a", "b"], default: "a" },
    ],
    ["a switch", boolean(description), { type: "boolean" }],
    [
      "a switch that cannot be turned off",
      { type: "boolean", description, only: true },
      { type: "boolean", enum: [true] },
    ],
    [
      "a number in a range",
      { type: "integer", description, minimum: 1, maximum: 9 },
      { type: "integer", format: "int32", minimum: 1, maximum: 9 },
    ],
    [
      "a number or a name",
      { type: "int-or-string", description, expected: "", minimum: 1, maximum: 9, format: word },
      {
        "x-kubernetes-int-or-string": true,
        minimum: 1,
        maximum: 9,
        pattern: "^[a-z]+$",
        allOf: [{ pattern: "^.{1,5}$" }],
      },
    ],
    [
      "a list, which has one owner",
      list(description, string("An item.")),
      {
        type: "array",
        items: { description: "An item.", type: "string" },
        "x-kubernetes-list-type": "atomic",
      },
    ],
    [
      "a list of different things, no longer than the definition takes",
      list(description, string("An item."), { minItems: 1, maxItems: 100, crdMaxItems: 25, set: true }),
      {
        type: "array",
        minItems: 1,
        maxItems: 25,
        items: { description: "An item.", type: "string" },
        "x-kubernetes-list-type": "set",
      },
    ],
    [
      "labels, of any number and with any keys",
      { type: "map", description, keys: word, values: word },
      {
        type: "object",
        additionalProperties: {
          description: "The value of the label.",
          type: "string",
          nullable: true,
          pattern: "^[a-z]+$",
          allOf: [{ pattern: "^.{1,5}$" }],
        },
      },
    ],
    [
      "an object whose fields fit together in one of several ways",
      object("a thing", description, { a: string("A.") }, [
        { kind: "custom", check: () => [], anyOf: [{ properties: { a: { enum: ["x"] } } }] },
      ]),
      {
        type: "object",
        properties: { a: { description: "A.", type: "string" } },
        anyOf: [{ properties: { a: { enum: ["x"] } } }],
      },
    ],
    [
      "an object: which fields must be there, which may be null, what must hold between them",
      object(
        "a thing",
        description,
        {
          a: { ...string("A."), required: true },
          b: string("B."),
          c: { ...string("C."), nullable: true },
        },
        [{ kind: "needs", field: "b", needs: ["a"] }],
      ),
      {
        type: "object",
        required: ["a"],
        properties: {
          a: { description: "A.", type: "string" },
          b: { description: "B.", type: "string" },
          c: { description: "C.", type: "string", nullable: true },
        },
        "x-kubernetes-validations": [{ rule: "!has(self.b) || has(self.a)", message: "`b` requires `a`" }],
      },
    ],
  ])("%s", (_what, schema, expected) => expect(structural(schema)).toEqual({ description, ...expected }));
});
