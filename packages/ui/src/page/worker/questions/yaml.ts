import {
  type Document,
  isObject,
  type ManifestObject,
  parseManifest,
  type Path,
  writeYaml,
} from "@tierwall/core/manifest";
import type { HeldState } from "../held-state.js";
import { blockAt, type Lines, objectAround } from "./lines.js";
import { type PlaceView, placeView, policyKey } from "./policy-view.js";

export interface YamlRequest {
  /** The key of a policy. */
  readonly policy: string;
  /** A rule of it, `spec.ingress[0]`; or `isolation`, for the fields that select the isolated pods. */
  readonly path?: string;
}

/** A policy as it was written, and which lines of it are marked. */
export interface YamlView {
  /** Where the marked lines begin; absent if it is in no file. */
  readonly place?: PlaceView;
  readonly lines: readonly string[];
  /** What the first of these lines is called in its file. */
  readonly firstNumber: number;
  /** From and to, by their numbers. */
  readonly marked: readonly Lines[];
}

export function answerYaml(held: HeldState, { policy, path }: YamlRequest): YamlView | undefined {
  const { written: own, foreign } = held.state;
  const found = [...own, ...foreign].find((one) => policyKey(one.policy) === policy);
  if (found === undefined) return undefined;
  const { object } = found;
  const text = held.textOf(object.document.file);
  return text === undefined || isJson(text) ? printed(object, path) : written(object, text, path);
}

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

function written(
  { document, path: base, value }: ManifestObject,
  text: string,
  path: string | undefined,
): YamlView {
  const lines = text.split("\n");
  const lineOf = (inner: Path) => startOf(document, [...base, ...inner]);
  const [first, last] = objectAround(lines, document.placeOf(base).line);
  const marked = markedPaths(value, path).map((inner) => blockAt(lines, lineOf(inner)));
  const place = { file: document.file, line: marked[0]?.[0] ?? first };
  return { ...placeView(place), lines: lines.slice(first - 1, last), firstNumber: first, marked };
}

/** JSON, and what a cluster holds, is read more easily as YAML. */
function printed({ value }: ManifestObject, path: string | undefined): YamlView {
  const text = writeYaml([{ value, comments: [] }]);
  const lines = text.trimEnd().split("\n");
  const [document] = parseManifest(text, "").documents;
  const marked = markedPaths(value, path).flatMap((inner) =>
    document === undefined ? [] : [blockAt(lines, startOf(document, inner))],
  );
  return { lines, firstNumber: 1, marked };
}

/** A field begins with its key, an item of a list with itself. */
function startOf(document: Document, path: Path): number {
  return (typeof path.at(-1) === "number" ? document.placeOf(path) : document.placeOfKey(path)).line;
}

function markedPaths(value: ManifestObject["value"], path: string | undefined): readonly Path[] {
  if (path === undefined) return [];
  if (path !== "isolation") return [stepsOf(path)];
  const { spec } = value;
  if (!isObject(spec)) return [];
  return ["podSelector", "endpointSelector", "policyTypes"]
    .filter((key) => key in spec)
    .map((key) => ["spec", key]);
}

/** `spec.ingress[0]` as the way to a field. */
function stepsOf(path: string): Path {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) =>
    index === undefined ? step : Number(index),
  );
}
