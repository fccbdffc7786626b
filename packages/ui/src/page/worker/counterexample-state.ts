import type { ClusterOptions, TextSource } from "@tierwall/core";
import {
  dialects,
  foreignGroups,
  isObject,
  type ManifestObject,
  readObjects,
  writeYaml,
} from "@tierwall/core/manifest";
import type { GivenState } from "./held-state.js";
import { editedFile, type PolicyEdit } from "./questions/edit-desk.js";
import type { CounterexampleView } from "./questions/guarantee/proof-view.js";
import { objectAround } from "./questions/lines.js";

/** The cluster in which a guarantee does not hold: what the page is about instead of the input's own cluster. */
export interface Counterexample extends Pick<CounterexampleView, "manifests" | "drops"> {
  /** The name of the guarantee. */
  readonly guarantee: string;
  /** Policies as they would be after this edit. */
  readonly edit?: PolicyEdit;
}

export const counterexampleFile = "counterexample.yaml";

/**
 * The policies of a state, and the two endpoints of a counterexample. Namespaces, pods and nodes of the input are left out, as S11.1
 * says, and so are the policies that their owners may delete.
 */
export function counterexampleState(given: GivenState, counterexample: Counterexample): GivenState {
  const { guarantee, manifests, drops, edit } = counterexample;
  const isKept = (object: ManifestObject) => isPartOfProof(object, drops) && !isReplaced(object, edit);
  const written =
    edit === undefined || edit.deleted !== undefined ? [] : [{ file: editedFile, text: edit.text }];
  return {
    ...given,
    title: `Counterexample to ${guarantee}`,
    provenance: "file",
    sources: [
      ...given.sources.map((source) => onlyKept(source, isKept)),
      ...written,
      { file: counterexampleFile, text: manifests },
    ],
    ...(given.options === undefined ? {} : { options: withoutFacts(given.options) }),
    dropped: `${given.dropped ?? ""} ${guarantee} ${manifests}`,
  };
}

/** S11.1: what options say about addresses and names is not used. */
function withoutFacts({
  podCidrs: _pods,
  serviceCidrs: _services,
  apiServer: _apiServer,
  dns: _dns,
  ...rest
}: ClusterOptions): ClusterOptions {
  return rest;
}

const policyKinds: ReadonlySet<string> = new Set(dialects.map(({ kind }) => kind));

function isPartOfProof({ apiVersion, kind }: ManifestObject, drops: Counterexample["drops"]): boolean {
  if (kind === "NetworkPolicy" && apiVersion.startsWith("networking.k8s.io/")) return !drops.networkPolicies;
  if (kind === "CiliumNetworkPolicy") return !drops.ciliumNetworkPolicies;
  const group = apiVersion.split("/")[0]!;
  return (
    policyKinds.has(kind) ||
    kind === "CiliumCIDRGroup" ||
    foreignGroups.includes(group) ||
    group === "tierwall.dev"
  );
}

/** Whether an edit deletes the object, or writes another one in its place. */
function isReplaced(object: ManifestObject, edit: PolicyEdit | undefined): boolean {
  if (edit === undefined) return false;
  if (edit.deleted !== undefined) return keyOf(object) === edit.deleted;
  return keysIn(edit.text).has(keyOf(object));
}

/** As `policyKey` calls a policy. */
function keyOf({ apiVersion, kind, value: { metadata } }: ManifestObject): string {
  const { name, namespace } = isObject(metadata) ? metadata : {};
  const group = apiVersion.split("/")[0]!;
  const home = typeof namespace === "string" ? namespace : "default";
  const isNamespaced = kind === "NetworkPolicy" || kind === "CiliumNetworkPolicy";
  return `${kind}.${group}/${isNamespaced ? `${home}/` : ""}${typeof name === "string" ? name : ""}`;
}

let lastEdit = { text: "", keys: new Set<string>() };

function keysIn(text: string): ReadonlySet<string> {
  if (lastEdit.text !== text)
    lastEdit = { text, keys: new Set(objectsOf({ file: editedFile, text }).map(keyOf)) };
  return lastEdit.keys;
}

function objectsOf(source: TextSource): readonly ManifestObject[] {
  const objects: ManifestObject[] = [];
  readObjects(source, { report: () => undefined, object: (object) => objects.push(object) });
  return objects;
}

/** A text without some of its objects. The lines of the others stay where they are, unless the text is JSON. */
function onlyKept({ file, text }: TextSource, isKept: (object: ManifestObject) => boolean): TextSource {
  const objects = objectsOf({ file, text });
  const kept = objects.filter(isKept);
  if (kept.length === objects.length) return { file, text };
  if (kept.length === 0) return { file, text: "" };
  const blanked = withBlanks(text, objects, isKept);
  return isSame(kept, objectsOf({ file, text: blanked }))
    ? { file, text: blanked }
    : { file: `${file} (policies)`, text: writeYaml(kept.map(({ value }) => ({ value, comments: [] }))) };
}

function withBlanks(
  text: string,
  objects: readonly ManifestObject[],
  isKept: (object: ManifestObject) => boolean,
): string {
  const lines = text.split("\n");
  const shown = [...lines];
  for (const { document, path } of objects.filter((object) => !isKept(object))) {
    const [first, last] = objectAround(lines, document.placeOf(path).line);
    for (let line = first; line <= last; line++) shown[line - 1] = "";
  }
  return shown.join("\n");
}

const isSame = (before: readonly ManifestObject[], after: readonly ManifestObject[]): boolean =>
  JSON.stringify(before.map(({ value }) => value)) === JSON.stringify(after.map(({ value }) => value));
