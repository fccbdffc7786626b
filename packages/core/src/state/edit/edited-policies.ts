import { getOrInsert } from "../../collections/maps.js";
import type { Cluster } from "../../cluster/model.js";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { inReadingOrder } from "../../diagnostics/reading-order.js";
import { readObjects } from "../../manifest/read.js";
import type { TextSource } from "../../manifest/source.js";
import { formatPolicy, type PolicyRef } from "../../policy/model.js";
import type { EditedState, ObjectEdit } from "./edited-state.js";
import { calledIn, identityOf, kindOf } from "../object-kind.js";
import { type PolicyDefinition, type State, StateReader } from "../state.js";

/** Edited policies, added to a state that has been read; the state is not read again. */
export interface EditedPolicies extends EditedState {
  /** Of the text alone. */
  readonly diagnostics: readonly Diagnostic[];
  /** Objects in the text that are not policies, and are ignored: `Pod shop/cart`. */
  readonly others: readonly string[];
}

/** As with `readEdited`, policies replace those with the same kind and name. Those with errors are skipped. */
export function editPolicies(before: State, text: TextSource): EditedPolicies {
  // An edited policy is read as a file, even if the cluster is a live one (S3.6).
  const reader = new StateReader({ provenance: "file" });
  const known = definitionsOf(before);
  const replaced = new Set<PolicyDefinition>();
  const edits: ObjectEdit[] = [];
  const others: string[] = [];
  readObjects(text, {
    report: reader.report,
    object: (object) => {
      const kind = kindOf(object);
      const identity = identityOf(object, kind);
      if (kind.what === "cluster" || kind.what === "foreign" || kind.what === "other") {
        others.push(identity === undefined ? object.kind : calledIn(identity));
        return;
      }
      const policy = reader.object(object);
      const former = identity === undefined ? undefined : known.get(identity);
      if (policy === undefined || identity === undefined) return;
      if (former !== undefined) replaced.add(former);
      edits.push({ what: former === undefined ? "added" : "replaced", object: calledIn(identity), policy });
    },
  });
  const own = reader.read();
  const after = before.withDefinitions([
    ...own.definitions,
    ...before.definitions.filter((definition) => !replaced.has(definition)),
  ]);
  const diagnostics = inReadingOrder(
    [...own.diagnostics, ...own.definitions.flatMap((definition) => homeless(definition, before.cluster))],
    [text.file],
  );
  return { before, after, edits, diagnostics, others };
}

/** The state without one of its policies. */
export function deletePolicy(before: State, policy: PolicyRef): EditedPolicies {
  const after = before.withDefinitions(before.definitions.filter((other) => other.policy !== policy));
  const edits = [{ what: "deleted", object: formatPolicy(policy), policy } as const];
  return { before, after, edits, diagnostics: [], others: [] };
}

/** A policy of a namespace that does not exist changes nothing; the remark explains why. */
function homeless({ policy, object }: PolicyDefinition, { namespaces }: Cluster): readonly Diagnostic[] {
  const { namespace } = policy;
  if (namespace === undefined || namespaces.has(namespace)) return [];
  const path = [...object.path, "metadata", "namespace"];
  const message = `namespace \`${namespace}\` is not in the input; the policy selects no pods`;
  return [diagnostic("TW3001", message, { place: object.document.placeOf(path) })];
}

/** By identity. The same state is edited with every keystroke. */
function definitionsOf(state: State): ReadonlyMap<string, PolicyDefinition> {
  return getOrInsert(identities, state, () => {
    const entries = state.definitions.map(
      (definition) => [identityOf(definition.object, kindOf(definition.object)), definition] as const,
    );
    return new Map(entries.flatMap(([identity, definition]) => (identity ? [[identity, definition]] : [])));
  });
}

const identities = new WeakMap<State, ReadonlyMap<string, PolicyDefinition>>();
