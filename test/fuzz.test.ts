import { readdirSync, readFileSync } from "node:fs";
import type { Diagnostic } from "@tierwall/core";
import {
  explain,
  parseEndpoint,
  parsePort,
  parseTarget,
  readConnectivityTests,
} from "@tierwall/core/analysis";
import { parseManifest } from "@tierwall/core/manifest";
import { diagnosticsJson, diagnosticText, noStyle, summaryText } from "@tierwall/core/report";
import { readState, type State, type StateOptions } from "@tierwall/core/state";
import { describe, expect, it, vi } from "vitest";
import { fewerRuns } from "./slice.mjs";

// Thousands of broken texts take a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

/*
 * For any input, reading ends with a State and with diagnostics whose places are inside the text. The examples and the
 * broken files are mutated: bytes, lines, words, and the trees that they represent. A seed identifies a run:
 * FUZZ_SEED=7 FUZZ_RUNS=100000 npx vitest run test/fuzz.test.ts
 */

const seed = Number(process.env.FUZZ_SEED ?? 1);
const runs = Number(process.env.FUZZ_RUNS ?? fewerRuns(400));
/** Slow machines are no failure; a hang is. */
const patience = 1_200_000 + runs * 1_000;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A number generator that gives the same numbers for the same seed (mulberry32). */
class Dice {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

const corpus = ["../examples/", "broken/"].flatMap((folder) => {
  const root = new URL(folder, import.meta.url);
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".yaml"))
    .toSorted()
    .map((path) => readFileSync(new URL(path.replaceAll("\\", "/"), root), "utf8"));
});
const words = [...new Set(corpus.flatMap((text) => text.match(/[\w.:/*-]+/g) ?? []))];

const oddWords = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "~",
  "null",
  "yes",
  "on",
  ".inf",
  "-.nan",
  "0x10",
  "010",
  "1e400",
  "-0",
  "9007199254740993",
  "1_000",
  "12:30:45",
  "2001-01-01",
  "!!binary x",
  "!!set {a, b}",
  "!x y",
  "&a",
  "*a",
  "<<: *a",
  "<<",
  "? ",
  "|",
  ">-",
  "%YAML 1.2",
  "---",
  "...",
  "\t",
  "\uFEFF",
  "\r",
  "\u0000",
  "\u2028",
  "\uD800",
  "👩‍💻",
  "10.0.0.256/8",
  "010.0.0.0/8",
  "10.0.0.0/33",
  "::ffff:1.2.3.4/96",
  "1.2.3.4/0x8",
  "fe80::1%eth0",
  "*",
  "**",
  "*.*.com",
  "node:",
  "new:",
  "new:a=b/c=d/e",
  "[::1]:80",
  "a/b:80/TCP",
  "a/constructor/b",
  "x".repeat(300),
];

const oddValues: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "\n",
  "*",
  [],
  {},
  [[]],
  [[[]]],
  [null],
  [{}],
  { "": null },
  JSON.parse('{"__proto__": {"a": 1}, "constructor": {}, "toString": "x"}') as Json,
  "constructor",
  "__proto__",
  "10.0.0.0/33",
  "0",
  "65536",
  ["a", "a"],
  Array.from({ length: 120 }, () => ({})),
];

// ---- mutations -------------------------------------------------------------------------------------------------

type Mutation = (text: string, dice: Dice) => string;

const splice = (text: string, at: number, remove: number, insert: string) =>
  text.slice(0, at) + insert + text.slice(at + remove);

const ofBytes: readonly Mutation[] = [
  (text, dice) => splice(text, dice.below(text.length + 1), 1 + dice.below(3), ""),
  (text, dice) => splice(text, dice.below(text.length + 1), 0, String.fromCharCode(dice.below(0x80))),
  (text, dice) =>
    splice(text, dice.below(text.length + 1), 1, dice.pick("{}[],:-?&*#|>%@`'\"!\\ \t\n".split(""))),
  (text, dice) => text.slice(0, dice.below(text.length + 1)),
  (text, dice) => splice(text, dice.below(text.length + 1), 0, dice.pick(oddWords)),
];

const byLine =
  (change: (lines: string[], at: number, dice: Dice) => void): Mutation =>
  (text, dice) => {
    const lines = text.split("\n");
    change(lines, dice.below(lines.length), dice);
    return lines.join("\n");
  };

const ofLines: readonly Mutation[] = [
  byLine((lines, at) => lines.splice(at, 1)),
  byLine((lines, at) => lines.splice(at, 0, lines[at]!)),
  byLine((lines, at, dice) => lines.splice(dice.below(lines.length), 0, lines[at]!)),
  byLine((lines, at, dice) => (lines[at] = " ".repeat(dice.below(5)) + lines[at]!)),
  byLine((lines, at, dice) => (lines[at] = lines[at]!.slice(dice.below(5)))),
  byLine((lines, at) => (lines[at] = `\t${lines[at]!}`)),
  byLine((lines, at) => (lines[at] = `${lines[at]!}\r`)),
  byLine((lines, at, dice) => lines.splice(at, 0, dice.pick(["---", "...", "- ", "? ", "%YAML 1.1", ": "]))),
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => `\uFEFF${text}`,
  (text, dice) => text + dice.pick(corpus),
  (text, dice) => text.slice(0, dice.below(text.length)) + dice.pick(corpus).slice(dice.below(200)),
];

const replaceWord = (text: string, dice: Dice, by: (word: string) => string) => {
  const found = [...text.matchAll(/[\w.:/*-]+/g)];
  if (found.length === 0) return text;
  const { 0: word, index } = dice.pick(found);
  return splice(text, index, word.length, by(word));
};

const ofWords: readonly Mutation[] = [
  (text, dice) => replaceWord(text, dice, () => dice.pick(words)),
  (text, dice) => replaceWord(text, dice, () => dice.pick(oddWords)),
  (text, dice) => replaceWord(text, dice, (word) => `"${word}"`),
  (text, dice) => replaceWord(text, dice, (word) => word.toLowerCase()),
  (text, dice) => replaceWord(text, dice, (word) => word.slice(0, -1)),
  (text, dice) => replaceWord(text, dice, (word) => word + word),
  (text, dice) =>
    replaceWord(text, dice, (word) => String(dice.below(70_000)) + word.slice(0, dice.below(2))),
];

/** Every place in a tree: the container and the key in it. */
function spots(value: Json, into: [Json[] | Record<string, Json>, string | number][] = []) {
  if (typeof value === "object" && value !== null)
    for (const key of Object.keys(value)) {
      const container = value as Record<string, Json>;
      into.push([container, Array.isArray(value) ? Number(key) : key]);
      spots(container[key]!, into);
    }
  return into;
}

function define(container: Json[] | Record<string, Json>, key: string | number, value: Json): void {
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}

const treeOf = (text: string): Json =>
  structuredClone(parseManifest(text, "corpus.yaml").documents.map(({ value }) => value)) as Json;

function somethingOf(tree: Json, dice: Dice): Json {
  const all = spots(tree);
  if (all.length === 0) return tree;
  const [container, key] = dice.pick(all);
  return (container as Record<string, Json>)[key]!;
}

const oddOrPlain = (dice: Dice): string => dice.pick(dice.below(2) === 0 ? words : oddWords);

/** Mutates the values behind a text, and writes them as JSON, which the YAML reader gets to see half of the time. */
function ofTree(text: string, dice: Dice): string {
  const documents = treeOf(text) as Json[];
  for (let i = 1 + dice.below(4); i > 0; i--) {
    const all = spots(documents);
    if (all.length === 0) break;
    const [container, key] = dice.pick(all);
    const value = (container as Record<string, Json>)[key]!;
    const [other, otherKey] = dice.pick(all);
    const change = dice.below(8);
    if (change === 0) define(container, key, structuredClone(dice.pick(oddValues)));
    else if (change === 1) delete (container as Record<string, Json>)[key];
    else if (change === 2) define(container, key, [value]);
    else if (change === 3)
      define(container, key, structuredClone((other as Record<string, Json>)[otherKey]!));
    else if (change === 4)
      define(container, Array.isArray(container) ? container.length : oddOrPlain(dice), value);
    else if (change === 5) define(container, key, oddOrPlain(dice));
    else if (change === 6) define(container, key, somethingOf(treeOf(dice.pick(corpus)), dice));
    else define(container, key, { [dice.pick(words)]: value });
  }
  const written = documents.map((value) => JSON.stringify(value ?? null, undefined, dice.pick([0, 2])));
  return dice.below(2) === 0 ? written.join("\n") : written.map((json) => `# YAML\n${json}`).join("\n---\n");
}

function randomText(dice: Dice): string {
  return String.fromCharCode(
    ...Array.from({ length: dice.below(400) }, () => dice.below(dice.pick([0x60, 0x80, 0x100, 0x10000]))),
  );
}

// ---- what must hold --------------------------------------------------------------------------------------------

const variants: readonly StateOptions[] = [
  {},
  { keepGoing: true },
  { keepGoing: true, provenance: "cluster" },
];

function survives(text: string, dice: Dice): void {
  for (const options of variants) {
    const state = readState([{ file: "fuzz.yaml", text }], options);
    checkDiagnostics(state.diagnostics, text);
    expect(state.usable).toBe(
      options.keepGoing === true || !state.diagnostics.some((d) => d.severity === "error"),
    );
    if (state.usable) useIt(state, text, dice);
  }
  checkDiagnostics(readConnectivityTests(text, "fuzz.yaml").diagnostics, text);
  for (const parse of [parseEndpoint, parseTarget, parsePort]) {
    const result = parse(text.slice(dice.below(text.length), dice.below(80)));
    if (!result.ok) diagnosticText(result.diagnostic, () => undefined, noStyle);
  }
}

function checkDiagnostics(diagnostics: readonly Diagnostic[], text: string): void {
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  for (const found of diagnostics) {
    const shown = diagnosticText(found, () => text, noStyle);
    if (!shown.includes(found.code)) throw new Error(`the code is not shown: ${shown}`);
    const { place, severity, code, message } = found;
    if (place === undefined) {
      if (severity === "error") throw new Error(`${code} has no place: ${message}`);
      continue;
    }
    const line = lines[place.line - 1];
    const inside =
      line !== undefined &&
      place.column >= 1 &&
      place.column <= line.length + 1 &&
      place.length >= 1 &&
      place.column - 1 + place.length <= Math.max(line.length, place.column);
    if (!inside)
      throw new Error(`${code} at ${place.line}:${place.column}+${place.length} is outside the text`);
  }
  summaryText(diagnostics, 1);
  JSON.stringify(diagnosticsJson(diagnostics));
}

/** A state that says it can be used can be. */
function useIt(state: State, text: string, dice: Dice): void {
  for (const tier of [...state.tiers.ingress, ...state.tiers.egress])
    for (const rule of tier.rules) rule.origin.place();
  const pods = [...state.cluster.pods.values()];
  if (pods.length === 0) return;
  const from = { kind: "named", ...dice.pick(pods) } as const;
  const to = { kind: "named", ...dice.pick(pods) } as const;
  const asked = explain(state, { from, to, port: { kind: "number", port: 80, protocol: "TCP" } });
  if (!asked.ok) throw new Error(`no answer about pods of the state: ${asked.diagnostic.message} in ${text}`);
}

/** Runs a family of mutations; what fails is shown with the text that made it fail. */
function checkMutations(mutate: (text: string, dice: Dice) => string, salt: number): void {
  for (let run = 0; run < runs; run++) {
    const dice = new Dice(seed * 1_000_003 + salt * 7919 + run);
    const text = mutate(dice.pick(corpus), dice);
    try {
      survives(text, dice);
    } catch (cause) {
      throw new Error(`run ${run} of seed ${seed}, on this text:\n${JSON.stringify(text)}`, { cause });
    }
  }
}

const several =
  (mutations: readonly Mutation[]): Mutation =>
  (text, dice) => {
    let mutated = text;
    for (let i = 1 + dice.below(4); i > 0; i--) mutated = dice.pick(mutations)(mutated, dice);
    return mutated;
  };

describe("fuzz: never a crash, never a hang, always diagnostics inside the text", () => {
  it.each([
    ["bytes", several(ofBytes), 1],
    ["lines", several(ofLines), 2],
    ["words", several(ofWords), 3],
    ["trees", ofTree, 4],
    ["everything at once", several([...ofBytes, ...ofLines, ...ofWords, ofTree]), 5],
    ["random characters", (_: string, dice: Dice) => randomText(dice), 6],
  ] as const)(
    "%s",
    (_, mutate, salt) => {
      checkMutations(mutate, salt);
    },
    patience,
  );

  const deep = 20_000;
  const policy = (spec: string) =>
    `{"apiVersion":"policy.networking.k8s.io/v1alpha2","kind":"ClusterNetworkPolicy","metadata":{"name":"x"},"spec":${spec}}`;
  const rule = (peer: string) =>
    policy(
      `{"tier":"Admin","priority":1,"subject":{"namespaces":{}},"egress":[{"action":"Deny","to":[${peer}]}]}`,
    );
  const networkPolicy = (spec: string) =>
    `{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"x","namespace":"x"},"spec":${spec}}`;
  const nested = (open: string, close: string) => open.repeat(deep) + close.repeat(deep);

  it.each([
    // No deeper: where YAML overflows the stack under vitest, V8 sometimes gives up on the whole process.
    ["lists nested deeply, as YAML", `a: ${"[".repeat(800)}${"]".repeat(800)}`],
    ["lists nested deeply, as JSON", nested("[", "]")],
    ["objects nested deeply, as JSON", `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`],
    ["lists that are never closed", "[".repeat(800)],
    ["block lists nested deeply", `${"- ".repeat(800)}x`],
    ["block mappings nested deeply", Array.from({ length: 800 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")],
    ["a network that is nested deeply", rule(`{"networks":[${nested("[", "]")}]}`)],
    ["a label that is nested deeply", rule(`{"namespaces":{"matchLabels":{"a":${nested("[", "]")}}}}`)],
    ["a status that is nested deeply", policy("{}").replace('"spec"', `"status":${nested("[", "]")},"spec"`)],
    [
      "lists of lists of lists",
      `apiVersion: v1\nkind: List\nitems: ${"[{kind: List, items: ".repeat(300)}[]${"}]".repeat(300)}`,
    ],
    [
      "a key of a million letters",
      `${"k".repeat(1_000_000)}: 1\nkind: NetworkPolicy\napiVersion: networking.k8s.io/v1`,
    ],
    ["a field of a hundred thousand letters", rule(`{"${"n".repeat(100_000)}":1}`)],
    ["a thousand documents", "kind: NetworkPolicy\n---\n".repeat(1000)],
    [
      "three hundred peers that are all wrong",
      rule(Array.from({ length: 300 }, () => '{"nodez":{}}').join()),
    ],
    [
      "three hundred labels that are all wrong",
      rule(`{"namespaces":{"matchLabels":{${Array.from({ length: 300 }, (_, i) => `"_${i}":""`).join()}}}}`),
    ],
    ["an alias of itself", "a: &a\n  b: *a\n"],
    [
      "aliases nested nine deep",
      [
        "a: &a0 [x]",
        ...Array.from(
          { length: 9 },
          (_, i) => `b${i}: &a${i + 1} [${Array.from({ length: 9 }, () => `*a${i}`).join()}]`,
        ),
      ].join("\n"),
    ],
    [
      "a large list that is used nine hundred times",
      `a: &a [${"x,".repeat(2000)}]\nb: &b [${"*a,".repeat(30)}]\nc: [${"*b,".repeat(30)}]`,
    ],
    ["merge keys that merge each other", "a: &a {<<: *b}\nb: &b {<<: *a}\n"],
    [
      "keys that every object has",
      '{"__proto__": {"kind": "Pod"}, "constructor": 1, "kind": "toString", "apiVersion": "__proto__"}',
    ],
    [
      "invalid numbers",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: .nan, namespace: .inf, labels: {a: -.inf, b: 1e999}}",
    ],
    ["keys that are not strings", "? [a, b]\n: c\n? {d: e}\n: f\n1: 2\nnull: 3\ntrue: 4\n"],
    [
      "an exception that is not a string",
      networkPolicy(
        '{"podSelector":{},"ingress":[{"from":[{"ipBlock":{"cidr":"10.0.0.0/8","except":[1]}}]}]}',
      ),
    ],
    ["a NetworkPolicy without a spec", networkPolicy("null")],
    ["a rule of a NetworkPolicy that is no object", networkPolicy('{"podSelector":{},"ingress":[1]}')],
    ["nothing", ""],
    ["a byte order mark alone", "\uFEFF"],
    ["documents of nothing", "---\n---\nnull\n---\n~\n...\n"],
  ])(
    "%s",
    (_, text) => {
      survives(text, new Dice(seed));
    },
    patience,
  );
});

describe("fuzz: endpoints, targets and ports", () => {
  const parts =
    "a shop/cart shop/ / : 80 /TCP [ ] ::1 10.0.0.1 node: new: = , ICMP … 0 65536 __proto__ constructor % . -".split(
      " ",
    );
  const text = (dice: Dice) => Array.from({ length: dice.below(7) }, () => dice.pick(parts)).join("");

  it("any text is understood, or refused with a diagnostic that quotes it", () => {
    const dice = new Dice(seed);
    for (let run = 0; run < 50 * runs; run++) {
      const given = text(dice);
      for (const parse of [parseEndpoint, parseTarget, parsePort]) {
        const result = parse(given);
        if (result.ok) continue;
        const { code, message } = result.diagnostic;
        if (!/^TW150[13]$/.test(code) || !message.startsWith("`"))
          throw new Error(`${given}: ${code} ${message}`);
      }
    }
  });

  it("whatever was understood can be asked", () => {
    const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: cart, namespace: shop}\n";
    const state = readState([{ file: "pod.yaml", text: pod }]);
    const dice = new Dice(seed);
    for (let run = 0; run < 50 * runs; run++) {
      const [from, to] = [parseEndpoint(text(dice)), parseEndpoint(text(dice))];
      if (!from.ok || !to.ok) continue;
      const asked = explain(state, { from: from.value, to: to.value, port: { kind: "icmp" } });
      if (!asked.ok && /undefined|\[object|function /.test(asked.diagnostic.message))
        throw new Error(asked.diagnostic.message);
    }
  });
});
