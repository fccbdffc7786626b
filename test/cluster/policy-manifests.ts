import { readdirSync, readFileSync } from "node:fs";
import { type JsonObject, type ManifestObject, readObjects, readState } from "@tierwall/core";
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
  return ["examples", "test/broken"].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".yaml"))
      .toSorted()
      .flatMap((name) => manifestsOf(`${folder}/${name.replaceAll("\\", "/")}`)),
  );
}

function manifestsOf(path: string): readonly PolicyManifest[] {
  const found: ManifestObject[] = [];
  const text = readFileSync(new URL(path, root), "utf8");
  readObjects({ file: path, text }, { object: (object) => void found.push(object), report: () => {} });
  return found.flatMap(({ value }) => manifestOf(path, value) ?? []);
}

/** Undefined for what we have no definition of. */
export function manifestOf(path: string, object: JsonObject): PolicyManifest | undefined {
  const [group, version] = String(object.apiVersion).split("/");
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
