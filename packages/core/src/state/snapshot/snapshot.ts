import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { isObject, type JsonObject } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import { readObjects } from "../../manifest/read.js";
import type { Source } from "../../manifest/source.js";
import { compareText } from "../../policy/assemble.js";
import { identityOf, kindOf, type ObjectKind } from "../object-kind.js";
import { keptClusterObject } from "./kept-cluster-object.js";
import { keptPolicy, redactedForeign, redactedPolicy } from "./kept-policy.js";
import { snapshotRenamed } from "./snapshot-kind.js";
import { Words } from "./words.js";

export interface SnapshotOptions {
  /** Names and labels are replaced by this hexadecimal hash, with a secret that is then discarded. */
  readonly redact?: (text: string) => string;
}

export interface Snapshot {
  /** A List, with one object per line. */
  readonly text: string;
  readonly objects: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** All that verdicts depend on, in an order that does not depend on the input. */
export function snapshotOf(sources: readonly Source[], { redact }: SnapshotOptions = {}): Snapshot {
  const { found, diagnostics } = objectsIn(sources);
  const words = redact && wordsOf(found, redact);
  const kept = found.map((one) => keptObject(one, words));
  const lines = kept
    .toSorted((a, b) => compareText(a.identity, b.identity))
    .map(({ value }) => JSON.stringify(value));
  const text = `{"apiVersion":"v1","kind":"List","items":[\n${lines.join(",\n")}\n]}\n`;
  return { text, objects: lines.length, diagnostics };
}

interface Found {
  readonly object: ManifestObject;
  readonly kind: ObjectKind & { readonly what: "cluster" | "policy" | "foreign" | "snapshot" };
}

function objectsIn(sources: readonly Source[]): {
  found: readonly Found[];
  diagnostics: readonly Diagnostic[];
} {
  const found: Found[] = [];
  const diagnostics: Diagnostic[] = [];
  const report = (problem: Diagnostic) => void diagnostics.push(problem);
  const take = (object: ManifestObject) => {
    const kind = kindOf(object);
    if (kind.what === "mistaken") report(kind.diagnostic);
    if (
      kind.what === "cluster" ||
      kind.what === "policy" ||
      kind.what === "foreign" ||
      kind.what === "snapshot"
    )
      found.push({ object, kind });
  };
  for (const source of sources) readObjects(source, { object: take, report });
  if (found.length === 0 && diagnostics.length === 0)
    report(diagnostic("TW1005", "there is nothing to write: no policies, and no objects of a cluster"));
  return { found, diagnostics };
}

function wordsOf(found: readonly Found[], hash: (text: string) => string): Words {
  const valuesOf = (what: string) =>
    found.filter(({ kind }) => kind.what === what).map(({ object }) => object.value);
  const policies = valuesOf("policy");
  return new Words(hash, [...policies, ...valuesOf("foreign")].flatMap(nameOf), policies);
}

function nameOf({ metadata }: JsonObject): readonly string[] {
  const { name } = isObject(metadata) ? metadata : {};
  return typeof name === "string" ? [name] : [];
}

function keptObject({ object, kind }: Found, words: Words | undefined) {
  const value = keptValue(object.value, kind, words);
  return { value, identity: identityOf({ ...object, value }, kind) ?? "" };
}

function keptValue(value: JsonObject, kind: Found["kind"], words: Words | undefined): JsonObject {
  switch (kind.what) {
    case "cluster":
      return keptClusterObject(value, words);
    case "policy":
      return words === undefined ? keptPolicy(value) : redactedPolicy(value, kind.kind, words);
    case "foreign":
      return words === undefined ? keptPolicy(value) : redactedForeign(value, words);
    case "snapshot":
      return words === undefined ? value : snapshotRenamed(value, (namespace) => words.word(namespace));
  }
}
