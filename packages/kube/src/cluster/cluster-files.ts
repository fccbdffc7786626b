import type { TextSource } from "@tierwall/core";
import { clusterFile, foreignKinds, type JsonObject } from "@tierwall/core/manifest";
import { getOrInsert, snapshotObject } from "@tierwall/core/state";
import { stringify } from "yaml";
import type { ClusterListing } from "./cluster-listing.js";
import { policyKinds } from "./kinds.js";
import { textAt } from "./object-fields.js";

/**
 * What a cluster holds, as if it were read from files, so that problems are reported as for files. Each policy has a file of its
 * own, because messages show its lines; pods are not shown. JSON is read and written much faster; people read YAML.
 */
export function clusterFiles(
  { objects, ...unseen }: ClusterListing,
  policiesAs: "json" | "yaml" = "json",
): readonly TextSource[] {
  const written = policiesAs === "yaml" ? yamlText : jsonText;
  const policies = objects.filter(isPolicy);
  const others = objects.filter((object) => !isPolicy(object));
  const items = [snapshotObject(unseen), ...others].map((item) => JSON.stringify(item));
  const files = new Map([
    [clusterFile, `{"apiVersion":"v1","kind":"List","items":[\n${items.join(",\n")}\n]}\n`],
  ]);
  for (const policy of policies) {
    const [short, long] = namesOf(policy);
    files.set(files.has(short) ? long : short, written(policy));
  }
  return Array.from(files, ([file, text]) => ({ file, text }));
}

const jsonText = (policy: JsonObject): string => JSON.stringify(policy, undefined, 2);

/** A policy that did not change is the same object, and is written once. */
const yamlTexts = new WeakMap<JsonObject, string>();

function yamlText(policy: JsonObject): string {
  return getOrInsert(yamlTexts, policy, () =>
    stringify(policy, { aliasDuplicateObjects: false, lineWidth: 0 }),
  );
}

const policyTypes: ReadonlySet<string> = new Set(
  [...policyKinds, ...foreignKinds].map(({ group, kind }) => `${group} ${kind}`),
);

function isPolicy(object: JsonObject): boolean {
  const { apiVersion, kind } = typeOf(object);
  return policyTypes.has(`${apiVersion.split("/")[0]} ${kind}`);
}

/** Objects from an API server always have a kind. */
const typeOf = (object: JsonObject) => object as { readonly apiVersion: string; readonly kind: string };

/** Two APIs may have policies of the same kind and name. */
function namesOf(object: JsonObject): readonly [string, string] {
  const { apiVersion, kind } = typeOf(object);
  const names = [textAt(object, "metadata", "namespace"), textAt(object, "metadata", "name")];
  const called = names.filter((part) => part !== "").join("/");
  const group = apiVersion.split("/")[0]!;
  return [`${clusterFile}/${kind}/${called}`, `${clusterFile}/${kind}.${group}/${called}`];
}
