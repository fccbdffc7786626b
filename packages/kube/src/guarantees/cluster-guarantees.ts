import type { JsonObject } from "@tierwall/core/manifest";
import { type Guarantee, Prover, readGuarantee, runGuarantee } from "@tierwall/core/prove";
import { type LiveOptions, LiveState, type PolicyDefinition, type State } from "@tierwall/core/state";
import { asManifest } from "../cluster/cluster-object.js";
import { hasSameMeaning } from "../cluster/same-meaning.js";
import { couldBreak, isFixed } from "./could-break.js";
import { answer, answerOf, type GuaranteeAnswer, keyOfPolicy } from "./guarantee-answer.js";

/** A policy that a request would create, replace or, without `object`, delete. */
interface Edit {
  readonly key: string;
  readonly object?: JsonObject;
}

/** A guarantee that holds now and would not hold after an edit, or of which that was not found out. */
export interface Affected {
  readonly name: string;
  readonly onBreak: Guarantee["onBreak"];
  /** The counterexample; absent where it was not decided in time. */
  readonly counterexample?: string;
  /** Kinds of the policies that the counterexample may reveal, by group and name. */
  readonly kinds: readonly string[];
}

interface Known {
  readonly object: JsonObject;
  readonly read: ReturnType<typeof readGuarantee>;
  /** The latest answer, and what it is about. */
  latest?: {
    readonly answer: GuaranteeAnswer;
    readonly proving: Proving;
    readonly cluster: State["cluster"];
  };
}

/** The policies of the cluster, or those after an edit, with the encoding that answers questions about them. */
interface Proving {
  readonly state: State;
  prover: Prover;
  asked: number;
}

/** An encoding of so many rules takes about 150 MB: larger ones are not kept next to each other. */
const mostRulesKept = 10_000;
/** More than this many are not encoded at all: the thread would need more than 1 GB. */
const mostRules = 60_000;
/** Each claim adds variables to the encoding that it is asked of. After this many, the encoding is made again. */
const mostAsked = 5000;
/** Milliseconds to decide one guarantee. */
export const proofBudget = 2000;

/**
 * The Guarantees of a cluster: whether they hold, and which of them an edit would break.
 *
 *   policies of the cluster ──► current ──► now, check ──► answers
 *                                  ▲           │
 *                 the edit arrived └── edited ◄┘
 *
 * Both encodings are kept between requests. That of an edit becomes the current one if the edit is made.
 */
export class ClusterGuarantees {
  private readonly known = new Map<string, Known>();
  private current: Proving | undefined;
  private edited:
    | {
        readonly edit: Edit;
        readonly proving: Proving;
        readonly cluster: State["cluster"];
        readonly answers: Map<string, GuaranteeAnswer>;
      }
    | undefined;

  constructor(
    private readonly stateNow: () => State,
    private readonly options: LiveOptions = {},
  ) {}

  set(key: string, object: JsonObject): void {
    this.known.set(key, { object, read: read(object) });
  }

  /** Whether there was such a guarantee. */
  remove(key: string): boolean {
    return this.known.delete(key);
  }

  /** A policy of the cluster, or something else that encodings depend on, changed or is gone. */
  policyChanged(key: string, object: JsonObject | undefined): void {
    const { edited } = this;
    this.current = undefined;
    this.edited = undefined;
    if (edited === undefined || edited.edit.key !== key || !isEdit(edited.edit, object)) return;
    this.current = edited.proving;
    for (const [name, found] of edited.answers) {
      const one = this.known.get(name);
      const { proving } = edited;
      if (one !== undefined) one.latest = { answer: found, proving, cluster: edited.cluster };
    }
  }

  /** Whether a guarantee of the cluster holds now; undefined where there is none of this key. */
  now(key: string, cluster: State["cluster"], deadline: number): GuaranteeAnswer | undefined {
    const known = this.known.get(key);
    if (known === undefined) return undefined;
    const { latest, read: found } = known;
    const dependsOnCluster = (found.guarantee?.assuming.length ?? 0) > 0;
    if (
      latest !== undefined &&
      latest.proving === this.current &&
      (!dependsOnCluster || latest.cluster === cluster)
    )
      return latest.answer;
    const isFullBudget = deadline - Date.now() > proofBudget * 0.9;
    const proving = this.currentProving();
    const given = this.answerFor(found, proving, cluster, deadline);
    // One that had little time is asked again.
    if (given.result !== "NotDecided" || isFullBudget) known.latest = { answer: given, proving, cluster };
    return given;
  }

  decideNext(cluster: State["cluster"]): boolean {
    const next = [...this.known].find(
      ([, { latest }]) => latest === undefined || latest.proving !== this.current,
    );
    if (next === undefined) return false;
    this.now(next[0], cluster, Date.now() + proofBudget);
    return true;
  }

  /** Whether a guarantee would hold that is not in the cluster yet, and the kinds of the policies that this may reveal. */
  tried(
    object: JsonObject,
    cluster: State["cluster"],
    deadline: number,
  ): { readonly answer: GuaranteeAnswer; readonly kinds: readonly string[] } {
    const found = read(object);
    const proving = this.currentProving();
    return {
      answer: this.answerFor(found, proving, cluster, deadline),
      kinds: found.guarantee === undefined ? [] : kindsFor(found.guarantee, proving.state),
    };
  }

  /** Guarantees that hold now and would not after an edit. Those that refuse edits are first: there may not be time for all. */
  check(edit: Edit, cluster: State["cluster"], deadline: number): readonly Affected[] {
    const guarantees = [...this.known].flatMap(([key, { read: found }]) =>
      found.guarantee === undefined ? [] : [{ key, guarantee: found.guarantee }],
    );
    if (guarantees.length === 0) return [];
    const { state } = this.currentProving();
    const before = state.definitions.find(({ policy }) => keyOfPolicy(policy) === edit.key);
    const after = edit.object && this.definitionOf(edit.object);
    const order = { Refuse: 0, Warn: 1 } as const;
    return guarantees
      .filter(({ guarantee }) => couldBreak(guarantee, { before, after }))
      .toSorted((a, b) => order[a.guarantee.onBreak] - order[b.guarantee.onBreak])
      .flatMap(({ key, guarantee }): readonly Affected[] => {
        const { name, onBreak } = guarantee;
        const affected = () => ({ name, onBreak, kinds: kindsFor(guarantee, state) });
        const was = this.now(key, cluster, deadline);
        if (was?.result === "NotDecided" && Date.now() >= deadline) return [affected()];
        if (was?.result !== "Proven") return [];
        // S11.3: whatever becomes of other rules, it holds.
        if (after === undefined && !was.policies.includes(edit.key)) return [];
        const will = this.after(key, edit, after, cluster, deadline);
        if (will.result === "NotDecided") return [affected()];
        return will.result === "Refuted" ? [{ ...affected(), counterexample: will.text }] : [];
      });
  }

  private after(
    key: string,
    edit: Edit,
    after: PolicyDefinition | undefined,
    cluster: State["cluster"],
    deadline: number,
  ): GuaranteeAnswer {
    if (Date.now() >= deadline) return outOfTime;
    const { proving, answers } = this.editedFor(edit, after, cluster);
    const found = answers.get(key);
    if (found !== undefined) return found;
    const given = this.answerFor(this.known.get(key)!.read, proving, cluster, deadline);
    if (given.result !== "NotDecided") answers.set(key, given);
    return given;
  }

  private editedFor(edit: Edit, after: PolicyDefinition | undefined, cluster: State["cluster"]) {
    const known = this.edited;
    const isSame = known?.edit.key === edit.key && isEdit(known.edit, edit.object);
    if (known !== undefined && isSame && known.cluster === cluster) return known;
    const proving = isSame && known !== undefined ? known.proving : this.provingAfter(edit, after);
    const made = { edit, proving, cluster, answers: new Map<string, GuaranteeAnswer>() };
    this.edited = made;
    return made;
  }

  private provingAfter({ key }: Edit, after: PolicyDefinition | undefined): Proving {
    const { state } = this.currentProving();
    const others = state.definitions.filter(({ policy }) => keyOfPolicy(policy) !== key);
    const next = state.withDefinitions([...others, ...(after === undefined ? [] : [after])]);
    // Two large encodings are too much for one process. Answers that were given are kept.
    if (rulesIn(next) > mostRulesKept) this.current!.prover = new Prover(state);
    return provingOf(next);
  }

  private currentProving(): Proving {
    this.current ??= provingOf(this.stateNow());
    return this.current;
  }

  private answerFor(
    { guarantee, diagnostics }: ReturnType<typeof readGuarantee>,
    proving: Proving,
    cluster: State["cluster"],
    deadline: number,
  ): GuaranteeAnswer {
    if (guarantee === undefined)
      return answer("Invalid", diagnostics.map(({ message }) => message).join("; "));
    if (rulesIn(proving.state) > mostRules)
      return answer("NotDecided", `the cluster has more than ${mostRules} rules`);
    if (Date.now() >= deadline) return outOfTime;
    if (++proving.asked % mostAsked === 0) proving.prover = new Prover(proving.state);
    // What other projects enforce is part of the encoding; counting their pods for each guarantee is not needed.
    const state = { ...proving.state, cluster, foreign: [] };
    return answerOf(runGuarantee(proving.prover, state, guarantee, { deadline }));
  }

  /** As the cluster would hold it. */
  private definitionOf(object: JsonObject): PolicyDefinition | undefined {
    const alone = new LiveState({ ...this.options, provenance: "cluster" });
    alone.set(asManifest(object));
    return alone.state().definitions[0];
  }
}

const outOfTime = answer("NotDecided", "it was not decided in time");

const provingOf = (state: State): Proving => ({ state, prover: new Prover(state), asked: 0 });

/** Without what API servers add. */
function read({ apiVersion, kind, metadata, spec }: JsonObject): ReturnType<typeof readGuarantee> {
  return readGuarantee(
    asManifest({ apiVersion: apiVersion!, kind: kind!, metadata: metadata!, spec: spec! }),
  );
}

const isEdit = (edit: Edit, object: JsonObject | undefined): boolean =>
  edit.object === undefined || object === undefined
    ? edit.object === object
    : hasSameMeaning(edit.object, object);

const rulesIn = ({ definitions }: State): number =>
  definitions.reduce((sum, { lowered }) => sum + lowered.rules.length, 0);

function kindsFor(guarantee: Guarantee, { policies }: State): readonly string[] {
  const fixed = policies.filter((policy) => isFixed(guarantee, policy));
  return [...new Set(fixed.map(({ group, kind }) => `${group} ${kind}`))];
}
