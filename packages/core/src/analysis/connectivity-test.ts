import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import type { Path, Place } from "../diagnostics/place.js";
import type { Result } from "../diagnostics/result.js";
import type { ConnectionVerdict, Verdict } from "../evaluate/evaluate.js";
import type { Decision } from "../evaluate/walk.js";
import { isObject } from "../manifest/document.js";
import { objectsOf, parseManifest } from "../manifest/parse.js";
import type { ManifestObject } from "../manifest/object.js";
import type { PolicyRef } from "../policy/model.js";
import { list, object, oneOf, optional, required, type Schema, string } from "../schema/schema.js";
import { validate } from "../schema/validate.js";
import { ask, type Question, type OverallVerdict } from "./ask.js";
import { parseEndpoint, parseTarget } from "./endpoint-ref.js";
import { type Explanation, explain } from "./explain.js";
import type { State } from "./state.js";

export const connectivityTestKind = { apiVersion: "tierwall.dev/v1", kind: "ConnectivityTest" } as const;

const expectation = object("an expectation", "What must hold for each pair of a `from` and a `to`.", {
  from: required(
    list("Who opens the connection: one endpoint, or a list.", string("An endpoint."), { minItems: 1 }),
  ),
  to: required(
    list("Where it goes: `ENDPOINT:PORT/PROTOCOL`, one or a list.", string("An endpoint with a port."), {
      minItems: 1,
    }),
  ),
  verdict: required(oneOf("What the answer must be.", ["Allow", "Deny", "Undecided"])),
  decidedBy: optional(
    string("The policy that must have decided: `KIND/NAME`, `KIND/NAMESPACE/NAME`, or `default`."),
  ),
});

const testObject = object("a ConnectivityTest", "Assertions about who can reach whom.", {
  apiVersion: required(string("`tierwall.dev/v1`.")),
  kind: required(string("`ConnectivityTest`.")),
  metadata: required(
    object("metadata", "How the test is called.", { name: required(string("The name of the test.")) }),
  ),
  spec: required(
    object("the spec of a ConnectivityTest", "The states to look at and what must hold in them.", {
      given: optional(list("Files and folders, relative to this file.", string("A path."))),
      expect: required(list("What must hold.", expectation, { minItems: 1 })),
    }),
  ),
});

/** The schema, for the reference in docs/. */
export const connectivityTestSchema: Schema = testObject;

export interface ConnectivityTest {
  readonly name: string;
  readonly file: string;
  /** Relative to `file`. */
  readonly given: readonly string[];
  readonly assertions: readonly Assertion[];
}

/** One pair of a `from` and a `to`. */
export interface Assertion {
  readonly from: string;
  readonly to: string;
  readonly question: Question;
  readonly verdict: Verdict;
  readonly decidedBy?: string;
  readonly place: Place;
}

/** The tests of one file; documents of other kinds are left alone. */
export function readConnectivityTests(
  text: string,
  file: string,
): { readonly tests: readonly ConnectivityTest[]; readonly diagnostics: readonly Diagnostic[] } {
  if (!text.includes(connectivityTestKind.kind)) return { tests: [], diagnostics: [] };
  const { documents, diagnostics: broken } = parseManifest(text, file);
  const ours = objectsOf(documents).objects.filter(
    (o) =>
      o.kind === connectivityTestKind.kind &&
      (o.apiVersion === "" || o.apiVersion.startsWith("tierwall.dev/")),
  );
  const read = ours.map(readTest);
  return {
    tests: read.flatMap((r) => r.test ?? []),
    diagnostics: [...broken, ...read.flatMap((r) => r.diagnostics)],
  };
}

function readTest(source: ManifestObject): {
  readonly test?: ConnectivityTest;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { document, path: root } = source;
  const at = (path: Path) => document.placeOf([...root, ...path]);
  if (source.apiVersion !== connectivityTestKind.apiVersion)
    return {
      diagnostics: [
        diagnostic(
          "TW1105",
          `\`${source.apiVersion}\` is not a known version of ConnectivityTest; known is \`${connectivityTestKind.apiVersion}\``,
          { place: at(["apiVersion"]) },
        ),
      ],
    };
  const { value, problems } = validate(testObject, withLists(source.value));
  const metadata = isObject(source.value.metadata) ? source.value.metadata : {};
  const named = typeof metadata.name === "string" ? ` ${metadata.name}` : "";
  const diagnostics = problems.map((p) =>
    diagnostic(p.code, p.message, {
      place: p.at === "key" ? document.placeOfKey([...root, ...p.path]) : at(p.path),
      object: `ConnectivityTest${named}`,
      path: p.path,
    }),
  );
  if (diagnostics.length > 0) return { diagnostics };

  const assertions: Assertion[] = [];
  for (const [i, expected] of value.spec.expect.entries())
    for (const from of expected.from)
      for (const to of expected.to) {
        const place = at(["spec", "expect", i]);
        const question = questionOf(from, to);
        if (!question.ok)
          diagnostics.push({
            ...question.diagnostic,
            place,
            object: `ConnectivityTest${named}`,
            path: ["spec", "expect", i],
          });
        else
          assertions.push({
            from,
            to,
            question: question.value,
            verdict: expected.verdict,
            place,
            ...(expected.decidedBy === undefined ? {} : { decidedBy: expected.decidedBy }),
          });
      }
  return diagnostics.length > 0
    ? { diagnostics }
    : {
        test: {
          name: value.metadata.name,
          file: source.document.file,
          given: value.spec.given ?? [],
          assertions,
        },
        diagnostics,
      };
}

/** `from` and `to` may be one text or a list of them. */
function withLists(value: ManifestObject["value"]): unknown {
  const spec = value.spec as { expect?: unknown } | null | undefined;
  if (typeof spec !== "object" || spec === null || !Array.isArray(spec.expect)) return value;
  const asList = (item: unknown) => (typeof item === "string" ? [item] : item);
  const expect = spec.expect.map((item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    const copy: Record<string, unknown> = { ...item };
    for (const key of ["from", "to"]) if (key in copy) copy[key] = asList(copy[key]);
    return copy;
  });
  return { ...value, spec: { ...spec, expect } };
}

function questionOf(from: string, to: string): Result<Question> {
  const source = parseEndpoint(from);
  if (!source.ok) return source;
  const target = parseTarget(to);
  return target.ok
    ? { ok: true, value: { from: source.value, to: target.value.endpoint, port: target.value.port } }
    : target;
}

export interface TestResult {
  readonly test: ConnectivityTest;
  readonly passed: number;
  readonly mismatches: readonly Mismatch[];
  /** Questions that could not be asked at all: bad input, not a failed assertion. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface Mismatch {
  readonly assertion: Assertion;
  readonly verdict: OverallVerdict;
  readonly decidedBy: readonly string[];
  readonly explanation: Explanation;
}

/** S9.2: an expectation holds only if the verdict is exactly that; Mixed fails every one (S1.15). */
export function runConnectivityTest(state: State, test: ConnectivityTest): TestResult {
  let passed = 0;
  const mismatches: Mismatch[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const assertion of test.assertions) {
    const asked = ask(state, assertion.question);
    if (!asked.ok) {
      diagnostics.push({
        ...asked.diagnostic,
        place: assertion.place,
        object: `ConnectivityTest ${test.name}`,
      });
      continue;
    }
    const { verdict, answers } = asked.value;
    const deciders = answers.map(({ connection }) => decidersOf(connection));
    const fits =
      verdict === assertion.verdict &&
      (assertion.decidedBy === undefined || deciders.every((names) => names.includes(assertion.decidedBy!)));
    if (fits) {
      passed++;
      continue;
    }
    const explained = explain(state, assertion.question);
    if (explained.ok)
      mismatches.push({
        assertion,
        verdict,
        decidedBy: [...new Set(deciders.flat())],
        explanation: explained.value,
      });
  }
  return { test, passed, mismatches, diagnostics };
}

/**
 * The names that `decidedBy` may have: for a denial those of the first direction that denies; for an Allow those of
 * either direction, and `default` only if no policy spoke in any.
 */
export function decidersOf({ verdict, egress, ingress }: ConnectionVerdict): readonly string[] {
  const names = (walk: { readonly decisions: readonly Decision[] }) => walk.decisions.flatMap(deciderNames);
  if (verdict === "Deny") return names(egress.verdict === "Deny" ? egress : ingress);
  const all = [...names(egress), ...names(ingress)];
  const policies = all.filter((name) => name !== "default");
  return policies.length > 0 ? policies : ["default"];
}

function deciderNames({ by }: Decision): readonly string[] {
  const named = ({ kind, namespace, name }: PolicyRef) =>
    [kind, ...(namespace === undefined ? [] : [namespace]), name].join("/");
  if (by.kind === "rule") return [named(by.rule.origin.policy)];
  if (by.kind === "isolation")
    return by.isolation.map(({ origin }) =>
      origin.kind === "policy" ? named(origin.policy) : origin.option,
    );
  return ["default"];
}
