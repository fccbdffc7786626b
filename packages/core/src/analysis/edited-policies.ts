import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { readObjects } from "../manifest/read.js";
import type { TextSource } from "../manifest/source.js";
import type { EditedState, ObjectEdit } from "./edited-state.js";
import { identityOf, kindOf } from "./object-kind.js";
import { type PolicyDefinition, type State, StateReader } from "./state.js";

/** Policies that somebody is writing, put into a state that has been read: nothing of that is read again. */
export interface EditedPolicies extends EditedState {
  /** Of the text alone. */
  readonly diagnostics: readonly Diagnostic[];
  /** Objects in the text that are no policies, and so have no part in this: `Pod shop/cart`. */
  readonly others: readonly string[];
}

/** As with `readEdited`, policies come in the place of those of the same kind and name. What has errors is left out. */
export function editPolicies(before: State, text: TextSource): EditedPolicies {
  // Whoever writes a policy means what a file means, even where the cluster they look at is a live one (S3.6).
  const reader = new StateReader({ provenance: "file" });
  const known = definitionsOf(before);
  const replaced = new Set<PolicyDefinition>();
  const edits: ObjectEdit[] = [];
  const others: string[] = [];
  const diagnostics: Diagnostic[] = [];
  readObjects(text, {
    report: (found) => diagnostics.push(found),
    object: (object) => {
      const kind = kindOf(object);
      const identity = identityOf(object, kind);
      if (kind.what === "cluster" || kind.what === "other") {
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
  const own = reader.state([text.file]);
  const after = before.withDefinitions([
    ...own.definitions,
    ...before.definitions.filter((definition) => !replaced.has(definition)),
  ]);
  return { before, after, edits, diagnostics: [...diagnostics, ...own.diagnostics], others };
}

const calledIn = (identity: string): string => identity.split(" ").slice(1).join(" ");

/** By identity. The same state is edited again with every word that somebody writes. */
function definitionsOf(state: State): ReadonlyMap<string, PolicyDefinition> {
  const known = identities.get(state);
  if (known !== undefined) return known;
  const found = new Map<string, PolicyDefinition>();
  for (const definition of state.definitions) {
    const identity = identityOf(definition.object, kindOf(definition.object));
    if (identity !== undefined) found.set(identity, definition);
  }
  identities.set(state, found);
  return found;
}

const identities = new WeakMap<State, ReadonlyMap<string, PolicyDefinition>>();
