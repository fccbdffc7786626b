import { formatPath, type Place } from "../src/diagnostics/place.js";
import { apiVersionsOf, type PolicyKind } from "../src/dialects/dialect.js";
import { type Provenance, readPolicy } from "../src/dialects/read.js";
import { objectsOf, parseManifest } from "../src/manifest/parse.js";
import type { Lowered } from "../src/policy/assemble.js";

export interface OneReading {
  /** `TW1204 spec.subject.pod`: what was found, and at which field, in the order of the paths. */
  readonly found: readonly string[];
  readonly messages: readonly string[];
  readonly places: readonly (Place | undefined)[];
  /** Throws if the object was rejected. */
  readonly lowered: Lowered;
}

/** Reads the one policy of a text with the kinds of one dialect. */
export function readOne(
  kinds: readonly PolicyKind[],
  text: string,
  provenance: Provenance = "file",
): OneReading {
  const { documents, diagnostics } = parseManifest(text, "policy.yaml");
  const [object, ...others] = objectsOf(documents).objects;
  if (diagnostics.length > 0 || object === undefined || others.length > 0)
    throw new Error(`expected one object: ${JSON.stringify(diagnostics)}`);
  const kind = kinds.find((k) => k.kind === object.kind && apiVersionsOf(k).includes(object.apiVersion));
  if (kind === undefined) throw new Error(`no ${object.apiVersion} ${object.kind} in this dialect`);
  const reading = readPolicy(kind, object, provenance);
  const found = reading.diagnostics.map(({ code, path }) => `${code} ${formatPath(path ?? [])}`);
  return {
    found: found.toSorted(),
    messages: reading.diagnostics.map((d) => d.message),
    places: reading.diagnostics.map((d) => d.place),
    get lowered() {
      if (reading.lowered === undefined) throw new Error(`the policy was refused: ${found.join(", ")}`);
      return reading.lowered;
    },
  };
}
