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
 * Previews of one state, edit after edit, as somebody writes a policy. Two engines stand ready: one stays as the state
 * is, the other takes each edit in place, which costs what the edit touches.
 */
export class Rehearsal {
  private engines: readonly [before: Engine, after: Engine] | undefined;
  private taken: { readonly after: Moment; readonly pairs: readonly ChangedBlock[] } | undefined;
  private edits = 0;

  constructor(private readonly before: Moment) {}

  /** What becomes of how many connections, with examples: the quick part. */
  outline({ after }: Pick<Rehearsed, "after">): ChangeOutline {
    const pairs = this.take(after);
    return outlineOf(this.engines!, pairs);
  }

  /** Everything, and who brings it about. */
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

  /** An engine in the state as it is, that can take the edit without compiling again. */
  private ready(after: Moment): Engine {
    const { before } = this;
    const isWorn = ++this.edits % mostEdits === 0 || (this.taken?.pairs.length ?? 0) > mostPairs;
    if (this.engines !== undefined && !isWorn && this.engines[1].isQuickWith(after.tiers)) {
      this.engines[1].update({ tiers: before.tiers });
      return this.engines[1];
    }
    // Compiled with what the edit looks at, and then taken back to how things are: so it knows all words of both.
    const [base] = this.engines ?? [compile(before.cluster, before.tiers)];
    const engine = Engine.of(before.cluster, after.tiers, base.answers);
    engine.update({ tiers: before.tiers });
    this.engines = [base, engine];
    return engine;
  }
}

/** Each edit leaves a little behind in the tables. */
const mostEdits = 200;
/** What touched more than this takes longer to be taken back than it takes to compile again. */
const mostPairs = 2000;
