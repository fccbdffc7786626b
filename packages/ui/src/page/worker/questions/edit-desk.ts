import { implementationCaveatsOfAll, Rehearsal } from "@tierwall/core/analysis";
import {
  caveatsOfAll,
  deletePolicy,
  type EditedPolicies,
  editPolicies,
  mergedCaveats,
  type State,
} from "@tierwall/core/state";
import { type ClusterWords, clusterWords } from "../../editor/language/cluster-words.js";
import type { HeldState } from "../held-state.js";
import { policyKey } from "./policy-view.js";

/** The name of a text in messages, while it is not a file. */
export const editedFile = "your policy";

/** An edit that is being considered. */
export interface PolicyEdit {
  readonly text: string;
  /** The key of a policy that is taken away instead; the text has no part in that. */
  readonly deleted?: string | undefined;
}

/** What editing policies of a state needs: made when it is first needed, and kept with the state. */
export class EditDesk {
  private known: ClusterWords | undefined;
  private ready: Rehearsal | undefined;
  private last: { readonly edit: PolicyEdit; readonly edited: EditedPolicies } | undefined;

  private noted: { readonly after: State; readonly texts: readonly string[] } | undefined;

  private constructor(private readonly held: HeldState) {}

  static of(held: HeldState): EditDesk {
    const known = desks.get(held) ?? new EditDesk(held);
    desks.set(held, known);
    return known;
  }

  get words(): ClusterWords {
    return (this.known ??= clusterWords(this.held.state.cluster));
  }

  get rehearsal(): Rehearsal {
    return (this.ready ??= new Rehearsal(this.held.state));
  }

  /** Several questions are about the same edit: it is made once. */
  edited(edit: PolicyEdit): EditedPolicies {
    if (this.last?.edit.text !== edit.text || this.last.edit.deleted !== edit.deleted)
      this.last = { edit, edited: this.make(edit) };
    return this.last.edited;
  }

  /** S9.5, S9.8: of both states, and of the implementations on the state after the edit. */
  caveats(edit: PolicyEdit): readonly string[] {
    const { before, after } = this.edited(edit);
    if (this.noted?.after !== after) {
      const all = mergedCaveats(caveatsOfAll(after), caveatsOfAll(before), implementationCaveatsOfAll(after));
      this.noted = { after, texts: all.map(({ text }) => text) };
    }
    return this.noted.texts;
  }

  private make({ text, deleted }: PolicyEdit): EditedPolicies {
    const { state } = this.held;
    const gone = state.written.find(({ policy }) => policyKey(policy) === deleted);
    return gone === undefined
      ? editPolicies(state, { file: editedFile, text })
      : deletePolicy(state, gone.policy);
  }
}

const desks = new WeakMap<HeldState, EditDesk>();
