import { type ChangedBlock, compile, Engine } from "../../engine/index.js";
import type { ObjectEdit } from "../../state/edit/edited-state.js";
import type { Grain } from "../endpoints/party.js";
import type { State } from "../../state/state.js";
import { type ChangeOutline, outlineOf } from "./outline.js";
import { type Preview, previewBetween } from "./preview.js";

/** A cluster under some policies. */
type Moment = Pick<State, "cluster" | "tiers">;

export interface Rehearsed {
  readonly after: Moment;
  readonly edits: readonly ObjectEdit[];
}

/**
 * Previews of one state, edit after edit, as a user writes a policy. Two engines are kept: one stays as the state
 * is, the other takes each edit in place, which costs what the edit touches.
 */
export class Rehearsal {
  private engines: readonly [before: Engine, after: Engine] | undefined;
  private taken: { readonly after: Moment; readonly pairs: readonly ChangedBlock[] } | undefined;
  private edits = 0;

  constructor(private readonly before: Moment) {}

  /** How many connections change, with examples: the quick part. */
  outline({ after }: Pick<Rehearsed, "after">): ChangeOutline {
    const pairs = this.take(after);
    return outlineOf(this.engines!, pairs);
  }

  /** All changes, with the rules that cause them. */
  preview({ after, edits }: Rehearsed, by: Grain = "workload"): Preview {
    this.take(after);
    return previewBetween(this.engines!, edits, by);
  }

  private take(after: Moment): readonly ChangedBlock[] {
    if (this.taken?.after === after) return this.taken.pairs;
    const engine = this.ready(after);
    const { pairs } = engine.update({ tiers: after.tiers });
    this.taken = { after, pairs };
    return pairs;
  }

  /** An engine of the current state that can apply the edit without compiling again. */
  private ready(after: Moment): Engine {
    const { before } = this;
    const isWorn = ++this.edits % mostEdits === 0 || (this.taken?.pairs.length ?? 0) > mostPairs;
    if (this.engines !== undefined && !isWorn && this.engines[1].isQuickWith(after.tiers)) {
      this.engines[1].update({ tiers: before.tiers });
      return this.engines[1];
    }
    // Compiled with the edit, and then reverted: so its vocabulary covers both.
    const [base] = this.engines ?? [compile(before.cluster, before.tiers)];
    const engine = Engine.of(before.cluster, after.tiers, base.answers);
    engine.update({ tiers: before.tiers });
    this.engines = [base, engine];
    return engine;
  }
}

/** Each edit leaves unused entries in the tables. */
const mostEdits = 200;
/** Reverting a larger edit takes longer than compiling again. */
const mostPairs = 2000;
