import { readdirSync, readFileSync } from "node:fs";
import { isObject, type Json, type JsonObject, readObjects } from "@tierwall/core/manifest";
import { readState } from "@tierwall/core/state";
import { watchedKinds } from "@tierwall/kube";

const root = new URL("../../", import.meta.url);

/** A policy of the suite, and whether we take it. */
export interface PolicyManifest {
  /** `examples/draft-self/policies.yaml` */
  readonly path: string;
  readonly object: JsonObject;
  /** Where such objects are created. */
  readonly collection: string;
  /** In the shape of KEP-2091, which shares its name with a released kind. */
  readonly isKep: boolean;
  /** What our validation calls errors in a file: `TW1204 unknown field …`. */
  readonly errors: readonly string[];
}

/** All of examples/ and test/broken/ that are of the kinds we have definitions of, each on its own. */
export function policyManifests(): readonly PolicyManifest[] {
  return ["examples", "test/broken"]
    .flatMap(objectsIn)
    .flatMap(({ path, object }) => manifestOf(path, object) ?? []);
}

/** Label selectors with something wrong in them, out of the NetworkPolicies that show it. */
export function brokenSelectors(): readonly { readonly path: string; readonly selector: Json }[] {
  return objectsIn("test/broken/selector").flatMap(({ path, object: { kind, spec } }) =>
    kind === "NetworkPolicy" && isObject(spec) ? { path, selector: spec.podSelector! } : [],
  );
}

interface FoundObject {
  readonly path: string;
  readonly object: JsonObject;
}

function objectsIn(folder: string): readonly FoundObject[] {
  const found: FoundObject[] = [];
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: "utf8" });
  for (const name of names.filter((one) => one.endsWith(".yaml")).toSorted()) {
    const path = `${folder}/${name.replaceAll("\\", "/")}`;
    const text = readFileSync(new URL(path, root), "utf8");
    // Whatever is no YAML is no object either, and nothing to ask an API server about.
    readObjects(
      { file: path, text },
      { object: ({ value }) => void found.push({ path, object: value }), report: () => undefined },
    );
  }
  return found;
}

/** Undefined for what we have no definition of. */
export function manifestOf(path: string, object: JsonObject): PolicyManifest | undefined {
  if (typeof object.apiVersion !== "string") return undefined;
  const [group, version] = object.apiVersion.split("/");
  const watched = watchedKinds.find((one) => one.kind === object.kind && one.group === group);
  if (watched === undefined || watched.isBuiltIn || group === "cilium.io") return undefined;
  const state = readState([{ file: path, text: JSON.stringify(object) }], { provenance: "file" });
  return {
    path,
    object,
    collection: `/apis/${group}/${version}/${watched.plural}`,
    isKep: state.written[0]?.policy.dialect === "kep-2091",
    errors: state.diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ code, message }) => `${code} ${message}`),
  };
}
