import { clusterFile } from "@tierwall/core/manifest";
import { type Completions, completionsAt } from "../../editor/language/completions.js";
import {
  type EditedKind,
  type EditedKinds,
  guaranteeKinds,
  policyKinds,
} from "../../editor/language/kinds.js";
import { type Hover, hoverAt } from "../../editor/language/hover.js";
import {
  type DifferenceView,
  differenceView,
  outlineView,
  type SectionView,
} from "../../playground/difference-view.js";
import { EditDesk, type PolicyEdit } from "./edit-desk.js";
import { editableText } from "./editable-text.js";
import { loadProver } from "./guarantee/held-guarantees.js";
import type { HeldState } from "../held-state.js";
import { policyKey } from "./policy-view.js";
import { type ProblemMark, problemMarks } from "./problem-marks.js";

export interface TextRequest {
  readonly text: string;
}

export interface PlaceRequest extends TextRequest {
  readonly offset: number;
  /** Which kinds are offered. */
  readonly kinds: EditedKinds;
}

/** A policy that can be edited. */
export interface PolicyChoice {
  readonly key: string;
  /** `shop/allow-web`. */
  readonly name: string;
  readonly kind: string;
}

const mostChoices = 40;

function answerChoices({ state }: HeldState, { text }: TextRequest): readonly PolicyChoice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found: PolicyChoice[] = [];
  for (const { policy } of state.written) {
    const { kind, namespace, name } = policy;
    const called = namespace === undefined ? name : `${namespace}/${name}`;
    const whole = `${kind} ${called}`.toLowerCase();
    if (words.every((word) => whole.includes(word)))
      found.push({ key: policyKey(policy), name: called, kind });
    if (found.length === mostChoices) break;
  }
  return found;
}

/** A policy as a text to edit. */
function answerText(held: HeldState, { key }: { readonly key: string }): string | undefined {
  const found = held.state.written.find(({ policy }) => policyKey(policy) === key);
  if (found === undefined) return undefined;
  const { file } = found.object.document;
  // Objects of a cluster are in no file that could be opened.
  return editableText(found.object, file.startsWith(clusterFile) ? undefined : held.textOf(file));
}

/** What is wrong with a text, where exactly, and what it would do to the objects that there are. */
export interface CheckView {
  readonly problems: readonly ProblemMark[];
  readonly edits: readonly { readonly what: "added" | "replaced" | "deleted"; readonly object: string }[];
  /** Objects that are no policies. */
  readonly others: readonly string[];
}

function answerCheck(held: HeldState, edit: PolicyEdit): CheckView {
  const { diagnostics, edits, others } = EditDesk.of(held).edited(edit);
  return {
    problems: problemMarks(diagnostics, edit.text),
    edits: edits.map(({ what, object }) => ({ what, object })),
    others,
  };
}

/** What changes, in figures and examples. Quick, however large the cluster. */
export interface OutlineView {
  readonly sections: readonly SectionView[];
  /** So many connections that finding the rule for each takes long. */
  readonly isLarge: boolean;
  readonly caveats: readonly string[];
}

const largeChange = 60_000;

function answerOutline(held: HeldState, edit: PolicyEdit): OutlineView {
  const desk = EditDesk.of(held);
  const sections = outlineView(desk.rehearsal.outline(desk.edited(edit)));
  const changed = sections.reduce((sum, one) => sum + one.connections, 0);
  return { sections, isLarge: changed > largeChange, caveats: desk.caveats(edit) };
}

/** Everything: the rule behind each change, lockouts and overrides. */
function answerDifference(held: HeldState, edit: PolicyEdit): DifferenceView {
  const desk = EditDesk.of(held);
  return differenceView(desk.rehearsal.preview(desk.edited(edit)), desk.caveats(edit));
}

async function answerCompletions(
  held: HeldState,
  { text, offset, kinds }: PlaceRequest,
): Promise<Completions | undefined> {
  return completionsAt(text, offset, EditDesk.of(held).words, await knownKinds(kinds));
}

async function answerHover(_: HeldState, { text, offset, kinds }: PlaceRequest): Promise<Hover | undefined> {
  return hoverAt(text, offset, await knownKinds(kinds));
}

async function knownKinds(kinds: EditedKinds): Promise<readonly EditedKind[]> {
  if (kinds === "policies") return policyKinds;
  const { guaranteeKind, guaranteeSchema } = await loadProver();
  return guaranteeKinds(guaranteeKind, guaranteeSchema);
}

export interface StartRequest {
  /** Prefixes of names that are not used. */
  readonly unlike: readonly string[];
}

/** The namespace in templates: one that is not part of the system. */
function answerStart({ state }: HeldState, { unlike }: StartRequest): { readonly namespace: string } {
  const names = [...state.cluster.namespaces.keys()];
  const workedIn = names.find((name) => !unlike.some((prefix) => name.startsWith(prefix)));
  return { namespace: workedIn ?? names[0] ?? "default" };
}

export const playgroundAnswers = {
  "playground-choices": answerChoices,
  "playground-text": answerText,
  "playground-check": answerCheck,
  "playground-outline": answerOutline,
  "playground-difference": answerDifference,
  "playground-completions": answerCompletions,
  "playground-hover": answerHover,
  "playground-start": answerStart,
} as const;
