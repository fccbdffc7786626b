import { editPolicies, type EditedPolicies, Rehearsal } from "@tierwall/core";
import { type ClusterWords, wordsOf } from "../playground/editing/cluster-words.js";
import type { HeldState } from "./held-state.js";

/** What a text goes by in messages, where it is no file yet. */
export const editedFile = "your policy";

/** What stands ready for whoever edits policies of a state: made when it is first needed, and kept with the state. */
export class EditDesk {
  private known: ClusterWords | undefined;
  private ready: Rehearsal | undefined;
  private last: { readonly text: string; readonly edited: EditedPolicies } | undefined;

  private constructor(private readonly held: HeldState) {}

  static of(held: HeldState): EditDesk {
    const known = desks.get(held) ?? new EditDesk(held);
    desks.set(held, known);
    return known;
  }

  get words(): ClusterWords {
    return (this.known ??= wordsOf(this.held.state.cluster));
  }

  get rehearsal(): Rehearsal {
    return (this.ready ??= new Rehearsal(this.held.state));
  }

  /** Several questions are about the same text: it is read once. */
  edited(text: string): EditedPolicies {
    if (this.last?.text !== text)
      this.last = { text, edited: editPolicies(this.held.state, { file: editedFile, text }) };
    return this.last.edited;
  }
}

const desks = new WeakMap<HeldState, EditDesk>();
