import type { Guarantee } from "@tierwall/core/prove";
import { caveatsOfAll, type State } from "@tierwall/core/state";
import type { HeldState } from "../../held-state.js";
import { EditDesk, editedFile, type PolicyEdit } from "../edit-desk.js";
import { editableText } from "../editable-text.js";
import { type PlaceView, placeView } from "../policy-view.js";
import { type ProblemMark, problemMarks } from "../problem-marks.js";
import { claimText } from "./claim-text.js";
import type { FrameView } from "./frame-view.js";
import { guaranteesOf, loadProver, objectOf, proverOf } from "./held-guarantees.js";
import { problemsView, type ProofView, proofView } from "./proof-view.js";

/** A guarantee as it is listed, before anything is proven. */
export interface GuaranteeView {
  readonly key: string;
  readonly name: string;
  readonly place?: PlaceView;
  /** What it claims, as a sentence. */
  readonly claim: string;
  readonly assuming: readonly string[];
}

export interface GuaranteesAnswer {
  readonly guarantees: readonly GuaranteeView[];
  /** Why some of them cannot be read. */
  readonly problems: readonly FrameView[];
  readonly caveats: readonly string[];
}

async function answerGuarantees(held: HeldState, _request: Record<string, never>): Promise<GuaranteesAnswer> {
  const { byKey, diagnostics } = await guaranteesOf(held);
  return {
    guarantees: [...byKey].map(([key, guarantee]) => guaranteeView(key, guarantee)),
    problems: problemsView(diagnostics, (file) => held.textOf(file)),
    // As `tierwall prove`: those about connections of the input are about one cluster only.
    caveats: caveatsOfAll(held.state).map(({ text }) => text),
  };
}

function guaranteeView(key: string, { name, place, claim, assuming }: Guarantee): GuaranteeView {
  return {
    key,
    name,
    ...(place.file === editedFile ? {} : placeView(place)),
    claim: claimText(claim),
    assuming: assuming.map(({ text }) => text),
  };
}

export interface ProofRequest {
  readonly key: string;
  /** Seconds. */
  readonly budget: number;
  /** Policies as they would be after this edit. */
  readonly edit?: PolicyEdit;
}

/** Undefined where there is no such guarantee any more. */
async function answerProof(
  held: HeldState,
  { key, budget, edit }: ProofRequest,
): Promise<ProofView | undefined> {
  const guarantee = (await guaranteesOf(held)).byKey.get(key);
  if (guarantee === undefined) return undefined;
  const state = edit === undefined ? held.state : EditDesk.of(held).edited(edit).after;
  return prove(state, guarantee, budget, (file) => held.textOf(file));
}

async function prove(
  state: State,
  guarantee: Guarantee,
  budget: number,
  textOf: (file: string) => string | undefined,
): Promise<ProofView> {
  const { runGuarantee } = await loadProver();
  const prover = await proverOf(state);
  // Without any time nothing is decided, however quick this machine is.
  const deadline = budget > 0 ? Date.now() + budget * 1000 : 0;
  const result = runGuarantee(prover, state, guarantee, { deadline });
  return proofView(result, { textOf, ...(Date.now() >= deadline ? { exhausted: budget } : {}) });
}

/** A guarantee as a text to edit. */
async function answerGuaranteeText(
  held: HeldState,
  { key }: { readonly key: string },
): Promise<string | undefined> {
  const guarantee = (await guaranteesOf(held)).byKey.get(key);
  const object = guarantee && objectOf(held, guarantee);
  return object && editableText(object, held.textOf(object.document.file));
}

export interface GuaranteeCheck {
  readonly problems: readonly ProblemMark[];
  readonly guarantees: readonly GuaranteeView[];
}

/** What is wrong with the text of guarantees that are being written, and which there are. */
async function answerGuaranteeCheck(
  _held: HeldState,
  { text }: { readonly text: string },
): Promise<GuaranteeCheck> {
  const { readGuarantees } = await loadProver();
  const { guarantees, diagnostics } = readGuarantees(text, editedFile);
  return {
    problems: problemMarks(diagnostics, text),
    guarantees: guarantees.map((guarantee, i) => guaranteeView(`${i}`, guarantee)),
  };
}

export interface WrittenProofRequest {
  readonly text: string;
  /** Which guarantee of the text, from 0. */
  readonly index: number;
  readonly budget: number;
}

/** A guarantee that is being written, proven for the policies that there are. */
async function answerWrittenProof(
  { state }: HeldState,
  { text, index, budget }: WrittenProofRequest,
): Promise<ProofView | undefined> {
  const { readGuarantees } = await loadProver();
  const guarantee = readGuarantees(text, editedFile).guarantees[index];
  return guarantee && prove(state, guarantee, budget, () => text);
}

export const guaranteeAnswers = {
  guarantees: answerGuarantees,
  "guarantee-proof": answerProof,
  "guarantee-text": answerGuaranteeText,
  "guarantee-check": answerGuaranteeCheck,
  "guarantee-written-proof": answerWrittenProof,
} as const;
