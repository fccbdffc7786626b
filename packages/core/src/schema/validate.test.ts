import { describe, expect, it } from "vitest";
import { formatPath } from "../diagnostics/place.js";
import { cidr, labelKey, labelValue, portName } from "./formats.js";
import {
  any,
  boolean,
  type Constraint,
  integer,
  lenient,
  list,
  nullable,
  object,
  oneOf,
  onlyTrue,
  required,
  type Schema,
  string,
} from "./schema.js";
import { validate } from "./validate.js";

/** `TW1201 spec.port value: the message`, for everything that is wrong. */
const problems = (schema: Schema, value: unknown) =>
  validate(schema, value).problems.map(
    ({ code, path, at, message }) =>
      `${code} ${formatPath(path)}${path.length > 0 ? " " : ""}${at}: ${message}`,
  );
const thing = (fields: Parameters<typeof object>[2], constraints: readonly Constraint[] = []) =>
  object("a thing", "A thing.", fields, constraints);

const port: Schema = {
  type: "int-or-string",
  description: "A port.",
  expected: "a port number or a port name",
  minimum: 1,
  maximum: 65535,
  format: portName,
};
const labels: Schema = { type: "map", description: "Labels.", keys: labelKey, values: labelValue };

describe("values of the right type are kept as they are", () => {
  const cases: readonly (readonly [string, Schema, unknown])[] = [
    ["text", string("A text."), "web"],
    ["an empty text", string("A text."), ""],
    ["one of several texts", oneOf("A word.", ["Allow", "Deny"]), "Deny"],
    ["a text of just the greatest length", string("A text.", { maxLength: 3 }), "abc"],
    ["a whole number", integer("A number."), -7],
    ["the least number", integer("A number.", { minimum: 0, maximum: 9 }), 0],
    ["the greatest number", integer("A number.", { minimum: 0, maximum: 9 }), 9],
    ["true", boolean("A switch."), true],
    ["false", boolean("A switch."), false],
    ["a field that can only be true", onlyTrue("A switch."), true],
    ["a number for a number or a name", port, 80],
    ["a name for a number or a name", port, "web"],
    ["an empty list", list("A list.", string("An item.")), []],
    ["a list of lists", list("A list.", list("A list.", integer("A number."))), [[1], [], [2, 3]]],
    ["as many items as may be", list("A list.", integer("A number."), { minItems: 1, maxItems: 2 }), [1, 2]],
    ["a set", list("A list.", string("An item."), { set: true }), ["a", "b"]],
    ["labels", labels, { app: "web", "example.com/zone": "" }],
    ["no labels", labels, {}],
    ["an object", thing({ a: required(integer("A number.")), b: string("A text.") }), { a: 1 }],
    ["anything where anything may stand", any("Anything."), [{ x: null }]],
  ];
  it.each(cases)("%s", (_what, schema, value) =>
    expect(validate(schema, value)).toEqual({ value, problems: [] }),
  );
});

describe("TW1201: values of the wrong type", () => {
  const cases: readonly (readonly [string, Schema, unknown, string])[] = [
    ["a number for a text", string("A text."), 1, "expected a string, found the number 1"],
    ["a word of YAML for a text", string("A text."), true, "expected a string, found `true`"],
    ["a list for a text", string("A text."), [], "expected a string, found a list"],
    ["an object for a text", string("A text."), {}, "expected a string, found an object"],
    ["nothing for a text", string("A text."), undefined, "expected a string, found nothing"],
    [
      "a number for one of several",
      oneOf("A word.", ["A", "B"]),
      1,
      "expected one of `A` and `B`, found the number 1",
    ],
    ["a number for the only one", oneOf("A word.", ["A"]), 1, "expected `A`, found the number 1"],
    ["text for a number", integer("A number."), "80", "expected a whole number, found the string `80`"],
    ["a fraction for a number", integer("A number."), 1.5, "expected a whole number, found the number 1.5"],
    ["true for a number", integer("A number."), true, "expected a whole number, found `true`"],
    ["text for a switch", boolean("A switch."), "true", "expected true or false, found the string `true`"],
    ["0 for a switch", boolean("A switch."), 0, "expected true or false, found the number 0"],
    ["a fraction for a port", port, 1.5, "expected a port number or a port name, found the number 1.5"],
    ["true for a port", port, true, "expected a port number or a port name, found `true`"],
    [
      "an object for a list",
      list("A list.", string("An item.")),
      { 0: "a" },
      "expected a list, found an object",
    ],
    ["text for a list", list("A list.", string("An item.")), "a", "expected a list, found the string `a`"],
    ["a list for labels", labels, ["app=web"], "expected a mapping of keys to strings, found a list"],
    ["text for an object", thing({}), "x", "expected a thing (an object), found the string `x`"],
    ["a list for an object", thing({}), [], "expected a thing (an object), found a list"],
  ];
  it.each(cases)("%s", (_what, schema, value, message) =>
    expect(problems(schema, value)).toEqual([`TW1201 value: ${message}`]),
  );

  it.each([
    ["a number for a text", string("A text."), 1, true],
    ["a word of YAML for a text", string("A text."), true, true],
    ["a number among labels", labels, { n: 1 }, true],
    ["a number for one of several: no quotes make it right", oneOf("A word.", ["A"]), 1, undefined],
    ["a list for a text", string("A text."), [], undefined],
    ["text for a number", integer("A number."), "1", undefined],
  ] satisfies [string, Schema, unknown, true | undefined][])(
    "%s is to be quoted: %s",
    (_what, schema, value, expected) =>
      expect(validate(schema, value).problems.map((problem) => problem.quote)).toEqual([expected]),
  );

  it("a long text is shown by its beginning", () => {
    const [problem] = problems(integer("A number."), "x".repeat(100));
    expect(problem).toBe(`TW1201 value: expected a whole number, found the string \`${"x".repeat(40)}…\``);
  });
});

describe("values that are of the type, but not right", () => {
  const cases: readonly (readonly [string, Schema, unknown, readonly string[]])[] = [
    [
      "TW1203, with what was meant",
      oneOf("An operator.", ["In", "NotIn", "Exists"]),
      "notIn",
      ["TW1203 value: `notIn` is not one of `In`, `NotIn` and `Exists`; did you mean `NotIn`?"],
    ],
    [
      "TW1203, with nothing near",
      oneOf("An action.", ["Allow", "Deny"]),
      "Reject",
      ["TW1203 value: `Reject` is not one of `Allow` and `Deny`"],
    ],
    ["TW1203 for the only one", oneOf("A word.", ["TCP"]), "Icmp", ["TW1203 value: `Icmp` is not `TCP`"]],
    [
      "TW1205 below",
      integer("A number.", { minimum: 0, maximum: 1000 }),
      -1,
      ["TW1205 value: `-1` is out of range; it must be from 0 to 1000"],
    ],
    [
      "TW1205 above",
      integer("A number.", { minimum: 0, maximum: 1000 }),
      1001,
      ["TW1205 value: `1001` is out of range; it must be from 0 to 1000"],
    ],
    [
      "TW1205 without an upper end",
      integer("A number.", { minimum: 1 }),
      0,
      ["TW1205 value: `0` is out of range; it must be at least 1"],
    ],
    ["TW1205 for a port", port, 65536, ["TW1205 value: `65536` is out of range; it must be from 1 to 65535"]],
    ["TW1205 for port 0", port, 0, ["TW1205 value: `0` is out of range; it must be from 1 to 65535"]],
    [
      "TW1208",
      string("A text.", { maxLength: 3 }),
      "abcd",
      ["TW1208 value: the string has 4 characters; at most 3 are allowed"],
    ],
    [
      "TW1206",
      list("A list.", string("An item."), { minItems: 1 }),
      [],
      ["TW1206 value: the list is empty; it needs at least one item"],
    ],
    [
      "TW1207",
      list("A list.", string("An item."), { maxItems: 1 }),
      ["a", "b"],
      ["TW1207 value: the list has 2 items; at most 1 are allowed"],
    ],
    [
      "TW1212 at each item that is there already",
      list("A list.", string("An item."), { set: true }),
      ["a", "b", "a", "a"],
      [
        "TW1212 [2] value: `a` is a duplicate item of this list",
        "TW1212 [3] value: `a` is a duplicate item of this list",
      ],
    ],
    [
      "TW1405",
      onlyTrue("A switch."),
      false,
      ["TW1405 value: `false` is not allowed here; remove the field, or set it to `true`"],
    ],
  ];
  it.each(cases)("%s", (_what, schema, value, found) => expect(problems(schema, value)).toEqual(found));
});

describe("labels", () => {
  it("S10.5: a label without a value is the empty text, with a warning at its key", () => {
    const { value, problems: found } = validate(labels, { app: null });
    expect(value).toEqual({ app: "" });
    expect(found).toEqual([
      expect.objectContaining({ code: "TW2010", path: ["app"], at: "key", readable: true }),
    ]);
  });

  it("a key is wrong at the key, a value at the value", () => {
    expect(problems(labels, { "not a key": "x", app: "not a value", n: 1 })).toEqual([
      expect.stringMatching(/^TW1301 \["not a key"\] key: `not a key` is not a label key/),
      expect.stringMatching(/^TW1302 app value: `not a value` is not a label value/),
      "TW1201 n value: expected a string, found the number 1",
    ]);
  });
});

describe("objects", () => {
  const selector = thing({
    matchLabels: string("A text."),
    key: required(string("A text.")),
  });

  it("TW1204: an unknown field, at its key, with what was meant", () => {
    expect(problems(selector, { key: "k", matchlabels: "x", other: 1 })).toEqual([
      "TW1204 matchlabels key: unknown field `matchlabels` in a thing; did you mean `matchLabels`?",
      "TW1204 other key: unknown field `other` in a thing",
    ]);
  });

  it("TW1204: properties of every JavaScript object are still unknown fields", () => {
    expect(problems(thing({}), { constructor: 1, toString: 2 })).toEqual([
      "TW1204 constructor key: unknown field `constructor` in a thing",
      "TW1204 toString key: unknown field `toString` in a thing",
    ]);
  });

  it("TW1202: a missing required field, or null, at the object", () => {
    const missing = ["TW1202 key: `key` is missing; it is required in a thing"];
    expect(problems(selector, {})).toEqual(missing);
    expect(problems(selector, { key: null })).toEqual(missing);
    expect(problems(list("A list.", selector), [{ key: "k" }, {}])).toEqual([
      "TW1202 [1] key: `key` is missing; it is required in a thing",
    ]);
  });

  it("null is as if the field were absent, unless it means something there", () => {
    const schema = thing({
      a: list("A list.", any("A.")),
      b: nullable(list("A list.", any("A."))),
    });
    expect(validate(schema, { a: null, b: null })).toEqual({ value: { b: null }, problems: [] });
  });

  it("everything wrong is listed at once, each at its own path", () => {
    const inner = thing({ n: required(integer("A number.", { maximum: 5, minimum: 0 })) });
    const outer = thing({
      items: required(list("A list.", inner, { maxItems: 2 })),
      name: required(string("A text.")),
    });
    expect(problems(outer, { items: [{ n: 9 }, { n: "x" }, { m: 1 }], nam: "a" })).toEqual([
      "TW1207 items value: the list has 3 items; at most 2 are allowed",
      "TW1205 items[0].n value: `9` is out of range; it must be from 0 to 5",
      "TW1201 items[1].n value: expected a whole number, found the string `x`",
      "TW1204 items[2].m key: unknown field `m` in a thing",
      "TW1202 items[2] key: `n` is missing; it is required in a thing",
      "TW1204 nam key: unknown field `nam` in a thing; did you mean `name`?",
    ]);
  });

  it("a path that is given comes before those inside", () => {
    expect(validate(selector, { key: 1 }, ["spec", 0]).problems[0]?.path).toEqual(["spec", 0, "key"]);
  });
});

describe("S3.6, S5.1: problems that do not prevent reading are marked as readable", () => {
  const readable = (schema: Schema, value: unknown) =>
    validate(schema, value).problems.map((problem) => problem.readable ?? false);

  it.each([
    ["a list too long", list("A list.", integer("A number."), { maxItems: 1 }), [1, 2], true],
    ["a duplicate item", list("A list.", integer("A number."), { set: true }), [1, 1], true],
    ["a text too long", string("A text.", { maxLength: 1 }), "ab", true],
    ["a number above what may grow", integer("N.", { minimum: 0, maximum: 9, mayGrow: true }), 10, true],
    [
      "a number above what is 32 bits",
      integer("N.", { minimum: 0, maximum: 9, mayGrow: true }),
      2 ** 31,
      false,
    ],
    ["a number below what may grow", integer("N.", { minimum: 0, maximum: 9, mayGrow: true }), -1, false],
    ["a number out of a range that stays", integer("N.", { minimum: 0, maximum: 9 }), 10, false],
    ["a missing field that may be missing in a cluster", thing({ a: lenient(any("A.")) }), {}, true],
    ["a missing field", thing({ a: required(any("A.")) }), {}, false],
    ["host bits", string("A CIDR.", { format: cidr }), "10.0.0.1/8", true],
    ["no CIDR", string("A CIDR.", { format: cidr }), "10.0.0.1", false],
    ["an unknown field", thing({}), { a: 1 }, false],
    ["a wrong type", integer("N."), "1", false],
    ["an empty list that may not be empty", list("A list.", integer("N."), { minItems: 1 }), [], false],
  ] satisfies [string, Schema, unknown, boolean][])("%s: %s", (_what, schema, value, expected) =>
    expect(readable(schema, value)).toEqual([expected]),
  );
});

describe("constraints", () => {
  const fields = { a: any("A."), b: any("B."), c: any("C.") };
  const of = ["a", "b", "c"];

  describe("exactly one", () => {
    const schema = thing(fields, [{ kind: "exactly-one", of, hint: "Choose." }]);
    it.each([
      [{ a: 1 }, []],
      [{ a: [] }, []],
      [{ a: false }, []],
      [{ a: 0, b: "" }, ["TW1209 b key: `a` and `b` are mutually exclusive in a thing; keep one"]],
      [{}, ["TW1209 value: a thing needs exactly one of `a`, `b` and `c`; none is set"]],
      [{ a: null }, ["TW1209 value: a thing needs exactly one of `a`, `b` and `c`; none is set"]],
      [{ a: 1, b: 2 }, ["TW1209 b key: `a` and `b` are mutually exclusive in a thing; keep one"]],
      [{ a: 1, b: 2, c: 3 }, ["TW1209 b key: `a`, `b` and `c` are mutually exclusive in a thing; keep one"]],
      // The unknown field is probably the one that is missing.
      [{ bb: 1 }, ["TW1204 bb key: unknown field `bb` in a thing"]],
    ])("%j: %j", (value, found) => expect(problems(schema, value)).toEqual(found));

    it("says what to do", () => {
      expect(validate(schema, {}).problems[0]?.hint).toBe("Choose.");
    });

    it("an unknown field elsewhere does not count", () => {
      const outer = thing({ x: schema, y: schema });
      expect(problems(outer, { x: { bb: 1 }, y: {} }).map((text) => text.slice(0, 9))).toEqual([
        "TW1204 x.",
        "TW1209 y ",
      ]);
    });
  });

  describe("at least one", () => {
    const schema = thing(fields, [{ kind: "at-least-one", of: ["a", "b"] }]);
    it.each([
      [{ a: 1 }, []],
      [{ a: 1, b: 2 }, []],
      [{ c: 1 }, ["TW1209 value: a thing needs at least one of `a` and `b`; none is set"]],
    ])("%j: %j", (value, found) => expect(problems(schema, value)).toEqual(found));
  });

  describe("at most one", () => {
    const schema = thing(fields, [{ kind: "at-most-one", of: ["a", "b"] }]);
    it.each([
      [{}, []],
      [{ b: 1, c: 1 }, []],
      [{ b: 1, a: 2 }, ["TW1210 b key: `a` and `b` are mutually exclusive in a thing; keep one"]],
    ])("%j: %j", (value, found) => expect(problems(schema, value)).toEqual(found));
  });

  describe("one that needs another", () => {
    const schema = thing(fields, [{ kind: "needs", field: "a", needs: ["b", "c"] }]);
    it.each([
      [{}, []],
      [{ b: 1 }, []],
      [{ a: 1, c: 1 }, []],
      [{ a: 1 }, ["TW1211 a key: `a` requires `b` or `c`"]],
    ])("%j: %j", (value, found) => expect(problems(schema, value)).toEqual(found));
  });

  it("a constraint may have a code of its own", () => {
    const codes = (constraint: Constraint, value: unknown) =>
      validate(thing(fields, [constraint]), value).problems.map(({ code }) => code);
    expect(codes({ kind: "exactly-one", of, code: "TW1409" }, {})).toEqual(["TW1409"]);
    expect(codes({ kind: "at-most-one", of, code: "TW1413" }, { a: 1, b: 1 })).toEqual(["TW1413"]);
    expect(codes({ kind: "at-least-one", of, code: "TW1411" }, {})).toEqual(["TW1411"]);
    expect(codes({ kind: "needs", field: "a", needs: ["b"], code: "TW1407" }, { a: 1 })).toEqual(["TW1407"]);
  });

  it("a check of its own reports relative to the object, at the value unless it says otherwise", () => {
    const check: Constraint = {
      kind: "custom",
      check: (value) => [
        { code: "TW1306", path: ["a", 0], message: `sees ${JSON.stringify(value)}` },
        { code: "TW1310", path: ["b"], at: "key", message: "the key" },
      ],
    };
    const outer = list("A list.", thing(fields, [check]));
    expect(problems(outer, [{ a: [1], b: null }])).toEqual([
      'TW1306 [0].a[0] value: sees {"a":[1]}',
      "TW1310 [0].b key: the key",
    ]);
  });
});
