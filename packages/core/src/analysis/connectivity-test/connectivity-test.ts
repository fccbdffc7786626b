import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import type { Path, Place } from "../../diagnostics/place.js";
import type { Result } from "../../diagnostics/result.js";
import { visible } from "../../diagnostics/visible.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import { isObject } from "../../manifest/document.js";
import { objectsOf, parseManifest } from "../../manifest/parse.js";
import type { ManifestObject } from "../../manifest/object.js";
import {
  any,
  type Fields,
  list,
  object,
  oneOf,
  required,
  type Schema,
  type Static,
  string,
} from "../../schema/schema.js";
import { locateProblem } from "../../schema/locate-problem.js";
import { validate } from "../../schema/validate.js";
import type { Question } from "../explain/ask.js";
import { parseEndpoint, parseTarget } from "../endpoints/endpoint-ref.js";
import { connectivityTestKind, isOwnGroup } from "../../state/test-kind.js";

/** An object of a test; it is never applied to a cluster. */
const part = <F extends Fields>(title: string, description: string, fields: F) => ({
  ...object(title, description, fields),
  ifDropped: "Otherwise, the test does not check what it seems to check.",
});

const expectation = part("an expectation", "What must hold for each pair of a `from` and a `to`.", {
  from: required(list("The source: one endpoint, or a list.", string("An endpoint."), { minItems: 1 })),
  to: required(
    list("The destination: `ENDPOINT:PORT/PROTOCOL`, one or a list.", string("An endpoint with a port."), {
      minItems: 1,
    }),
  ),
  verdict: required(oneOf("The expected verdict.", ["Allow", "Deny", "Undecided"])),
  decidedBy: string("The policy that must have decided: `KIND/NAME`, `KIND/NAMESPACE/NAME`, or `default`."),
});

const testMetadata = part("metadata", "Metadata of the test.", {
  name: required(string("The name of the test.")),
  namespace: any("Ignored."),
  labels: any("Ignored."),
  annotations: any("Ignored."),
});

const testObject = part("a ConnectivityTest", "Assertions about who can reach whom.", {
  apiVersion: required(string("`tierwall.dev/v1`.")),
  kind: required(string("`ConnectivityTest`.")),
  metadata: required(testMetadata),
  spec: required(
    part("the spec of a ConnectivityTest", "The states to check, and the assertions about them.", {
      given: list("Files and folders, relative to this file.", string("A path.")),
      expect: required(list("What must hold.", expectation, { minItems: 1 })),
    }),
  ),
});

/** The schema, for the reference in docs/. */
export const connectivityTestSchema: Schema = testObject;

export interface ConnectivityTest {
  readonly name: string;
  readonly file: string;
  /** Paths relative to `file`, and where they are in it. */
  readonly given: readonly { readonly path: string; readonly place: Place }[];
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

/** The tests of one file; documents of other kinds are ignored. */
export function readConnectivityTests(
  text: string,
  file: string,
): { readonly tests: readonly ConnectivityTest[]; readonly diagnostics: readonly Diagnostic[] } {
  if (!text.includes(connectivityTestKind.kind)) return { tests: [], diagnostics: [] };
  const { documents, diagnostics: broken } = parseManifest(text, file);
  const ours = objectsOf(documents).objects.filter(
    ({ kind, apiVersion }) => kind === connectivityTestKind.kind && isOwnGroup(apiVersion),
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
  if (source.apiVersion !== connectivityTestKind.apiVersion) {
    const message = `\`${source.apiVersion}\` is not a known version of ConnectivityTest; use \`${connectivityTestKind.apiVersion}\``;
    return { diagnostics: [diagnostic("TW1105", message, { place: at(["apiVersion"]) })] };
  }
  const { value, problems } = validate(testObject, withLists(source.value));
  const metadata = isObject(source.value.metadata) ? source.value.metadata : {};
  const name = typeof metadata.name === "string" ? visible(metadata.name) : "";
  const about = `ConnectivityTest${name === "" ? "" : ` ${name}`}`;
  const diagnostics = problems.map((problem) => {
    const { message, ...where } = locateProblem(problem, document, root);
    return diagnostic(problem.code, message, { ...where, object: about });
  });

  // Endpoints are read even if something else is wrong: all errors are reported at once (S10.1).
  const assertions: Assertion[] = [];
  for (const [i, expected] of expectationsOf(value).entries()) {
    const path: Path = ["spec", "expect", i];
    const read = <T>(parse: (text: string) => Result<T>, field: "from" | "to") =>
      (expected[field] ?? []).flatMap((text, j) => {
        const parsed = typeof text === "string" ? parse(text) : undefined;
        if (parsed?.ok) return [{ text, value: parsed.value }];
        if (parsed !== undefined)
          diagnostics.push({
            ...parsed.diagnostic,
            place: at([...path, field, j]),
            object: about,
            path: [...path, field],
          });
        return [];
      });
    const targets = read(parseTarget, "to");
    for (const from of read(parseEndpoint, "from"))
      for (const to of targets)
        assertions.push({
          from: visible(from.text),
          to: visible(to.text),
          question: { from: from.value, to: to.value.endpoint, port: to.value.port },
          verdict: expected.verdict!,
          place: at(path),
          ...(expected.decidedBy === undefined ? {} : { decidedBy: visible(expected.decidedBy) }),
        });
  }
  if (diagnostics.length > 0) return { diagnostics };
  const given = (value.spec.given ?? []).map((path, i) => ({ path, place: at(["spec", "given", i]) }));
  return { test: { name, file: source.document.file, given, assertions }, diagnostics };
}

/** As far as they could be read. */
function expectationsOf(value: Partial<Static<typeof testObject>> | undefined) {
  const expectations: readonly (Partial<Static<typeof expectation>> | undefined)[] =
    value?.spec?.expect ?? [];
  return expectations.map((expected) => expected ?? {});
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
