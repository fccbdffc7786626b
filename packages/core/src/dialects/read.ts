import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { formatPath, foundOnce, isWithin } from "../diagnostics/place.js";
import { visible } from "../diagnostics/visible.js";
import { diagnostics as table } from "../diagnostics/table.js";
import { isObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { annotationComplaints } from "../policy/annotations.js";
import type { Lowered } from "../policy/assemble.js";
import { formatPolicy, type PolicyRef } from "../policy/model.js";
import { locateProblem } from "../schema/locate-problem.js";
import type { Problem } from "../schema/schema.js";
import { validate } from "../schema/validate.js";
import {
  apiVersionsOf,
  type LowerOptions,
  type PolicyKind,
  type Spelling,
  unknownVersion,
} from "./dialect.js";

/**
 * Whether an unknown field is a mistake (a file) or a newer API (a cluster, or a snapshot of one): S3.6. What is about to
 * enter a cluster (`admission`) has passed the definition that is installed there: what it may accept and Tierwall does not know is a
 * newer API, and everything else a mistake.
 */
export type Provenance = "file" | "cluster" | "admission";

/** The result of reading one policy object. */
export interface PolicyReading {
  readonly policy: PolicyRef;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent if the object has errors: it has no meaning until they are fixed. */
  readonly lowered?: Lowered;
}

const noOptions: LowerOptions = {};

export function readPolicy(
  kind: PolicyKind,
  object: ManifestObject,
  provenance: Provenance,
  options: LowerOptions = noOptions,
): PolicyReading {
  const policy = refTo(kind, object);
  const version = checkVersion(kind, object);
  // S3.10: the shape of an unknown version is not guessed in a file.
  if (version.length > 0 && provenance === "file")
    return { policy, diagnostics: version.map((problem) => toDiagnostic(problem, policy, object, false)) };
  const spelling = kind.choose?.(object.value) ?? kind.spellings[0];
  const validated = validate(spelling.schema, object.value);
  const problems = [
    ...version,
    ...checkIdentity(kind, object),
    ...checkAnnotations(object),
    ...validated.problems.map((problem) => earlyForm(problem, spelling) ?? nameTheMix(problem, spelling)),
  ];
  const newer = newerIn(problems);
  const isTaken = (problem: Problem) =>
    provenance === "cluster" ||
    version.length > 0 ||
    (provenance === "admission" && (problem.readable || newer.has(problem)));
  const report = (problem: Problem) => toDiagnostic(problem, policy, object, isTaken(problem));

  if (problems.some((p) => table[p.code].severity === "error" && !isTaken(p)))
    return { policy, diagnostics: problems.map(report) };

  const warnings: Problem[] = [];
  const lowered = spelling.lower(validated.value as never, {
    policy,
    options,
    unreadable: (path) =>
      problems.some((p) => !p.readable && table[p.code].severity === "error" && isWithin(p.path, path)),
    placeOf: (path) => object.document.placeOf([...object.path, ...path]),
    warn: (problem) => warnings.push(problem),
  });
  return { policy, diagnostics: [...problems, ...warnings].map(report), lowered };
}

function refTo(kind: PolicyKind, object: ManifestObject): PolicyRef {
  const metadata = isObject(object.value.metadata) ? object.value.metadata : {};
  const namespace = typeof metadata.namespace === "string" ? metadata.namespace : "default";
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  const priority = isObject(object.value.spec) ? object.value.spec.priority : undefined;
  const { uid, generation } = metadata;
  return {
    dialect: kind.dialect,
    group: kind.group,
    version: object.apiVersion.slice(kind.group.length + 1),
    kind: kind.kind,
    ...(kind.scope === "Namespaced" ? { namespace: visible(namespace) } : {}),
    name: typeof metadata.name === "string" ? visible(metadata.name) : "",
    ...(typeof priority === "number" ? { priority } : {}),
    annotations: Object.fromEntries(
      Object.entries(annotations).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
    ...(typeof uid === "string" && typeof generation === "number" ? { stored: { uid, generation } } : {}),
    place: foundOnce(() => object.document.placeOf(object.path)),
  };
}

// S3.10
function checkVersion(kind: PolicyKind, { apiVersion }: ManifestObject): Problem[] {
  if (apiVersionsOf(kind).includes(apiVersion)) return [];
  return [{ code: "TW1105", path: ["apiVersion"], at: "value", message: unknownVersion(apiVersion, [kind]) }];
}

// S10.4, S10.5
function checkIdentity(kind: PolicyKind, object: ManifestObject): Problem[] {
  const metadata = isObject(object.value.metadata) ? object.value.metadata : {};
  const problems: Problem[] = [];
  // A name of another type (`y` is true in YAML) is reported by the schema, which says to quote it.
  if (metadata.name === undefined || metadata.name === null || metadata.name === "")
    problems.push({
      code: "TW1101",
      path: "metadata" in object.value ? ["metadata"] : [],
      at: "key",
      message: `this ${kind.kind} has no \`metadata.name\``,
    });
  if (kind.scope === "Namespaced" && typeof metadata.namespace !== "string")
    problems.push({
      code: "TW3002",
      path: ["metadata"],
      at: "key",
      message: "`metadata.namespace` is missing; it is read as `default`",
      readable: true,
    });
  if (kind.scope === "Cluster" && typeof metadata.namespace === "string")
    problems.push({
      code: "TW2019",
      path: ["metadata", "namespace"],
      at: "key",
      message: `${kind.kind} is cluster-wide; its namespace \`${metadata.namespace}\` is ignored`,
      readable: true,
    });
  return problems;
}

function checkAnnotations({ value: { metadata } }: ManifestObject): Problem[] {
  if (!isObject(metadata) || !isObject(metadata.annotations)) return [];
  return annotationComplaints(metadata.annotations).map(({ key, at, message }) => ({
    code: "TW2024",
    path: ["metadata", "annotations", key],
    at,
    message,
    readable: true,
  }));
}

/** Early versions of the released APIs had one more level; if it is silently dropped, the peer selects everything. */
function earlyForm(problem: Problem, { foreign }: Spelling): Problem | undefined {
  const [outer, inner] = problem.path.slice(-2);
  if (problem.code !== "TW1204" || outer !== "namespaces" || inner !== "namespaceSelector") return undefined;
  // S4.4: the message names both AdminNetworkPolicies if either may be meant.
  const whose = foreign?.words.includes(inner)
    ? "an early version of the API, or of the AdminNetworkPolicy of KEP-2091; as released,"
    : "an early version of the API; now";
  return {
    ...problem,
    code: "TW1419",
    message: `\`namespaceSelector\` inside \`namespaces\` belongs to ${whose} \`namespaces\` is itself a label selector`,
    hint: "Move its content one level up. Otherwise, a newer API server drops the field, and `namespaces` selects every namespace.",
  };
}

/** A word of the other spelling is not just unknown: the document mixes two spellings, and the message says so (S3.1, S4.4). */
function nameTheMix(problem: Problem, { foreign }: Spelling): Problem {
  if (foreign === undefined || (problem.code !== "TW1204" && problem.code !== "TW1203")) return problem;
  const word = problem.code === "TW1204" ? problem.path.at(-1) : /^`([^`]*)`/.exec(problem.message)?.[1];
  if (typeof word !== "string" || !foreign.words.includes(word)) return problem;
  return { ...problem, code: foreign.code, message: foreign.message(word) };
}

/** Values that a newer API may have, and fields that are missing only because a newer alternative is unknown. */
function newerIn(problems: readonly Problem[]): ReadonlySet<Problem> {
  const unknown = problems.filter(({ code }) => code === "TW1203" || code === "TW1204");
  const around = unknown.map(({ path }) => formatPath(path.slice(0, -1)));
  const isExplained = ({ code, path }: Problem) => code === "TW1202" && around.includes(formatPath(path));
  return new Set([...unknown, ...problems.filter(isExplained)]);
}

function toDiagnostic(
  problem: Problem,
  policy: PolicyRef,
  object: ManifestObject,
  isTaken: boolean,
): Diagnostic {
  const { message, ...where } = locateProblem(problem, object.document, object.path);
  const more = { ...where, object: formatPolicy(policy) };
  if (!isTaken || table[problem.code].severity !== "error") return diagnostic(problem.code, message, more);
  // S10.2: objects of a cluster are never rejected; they are read as safely as possible, with a warning.
  return problem.readable
    ? diagnostic("TW2017", `${message} (${problem.code}); it is evaluated as written`, more)
    : diagnostic(
        "TW2015",
        `${message} (${problem.code}); it may be from a newer API; unknown parts fail closed`,
        more,
      );
}
