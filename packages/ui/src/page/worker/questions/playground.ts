import type { Diagnostic } from "@tierwall/core";
import {
  isObject,
  type Json,
  type JsonObject,
  type ManifestObject,
  writeYaml,
} from "@tierwall/core/manifest";
import { type Completions, completionsAt } from "../../playground/editing/completions.js";
import { type Hover, hoverAt } from "../../playground/editing/hover.js";
import {
  type DifferenceView,
  differenceView,
  outlineView,
  type SectionView,
} from "../../playground/difference-view.js";
import { EditDesk, type PolicyEdit } from "./edit-desk.js";
import type { HeldState } from "../held-state.js";
import { policyKey } from "./policy-view.js";
import { answerYaml } from "./yaml.js";

export interface TextRequest {
  readonly text: string;
}

export interface PlaceRequest extends TextRequest {
  readonly offset: number;
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

/** A policy as a text to edit: as it was written, or printed where that is JSON or a part of a list. */
function answerText(held: HeldState, { key }: { readonly key: string }): string | undefined {
  const found = held.state.written.find(({ policy }) => policyKey(policy) === key);
  if (found === undefined) return undefined;
  const { object } = found;
  const yaml = object.path.length > 0 ? undefined : answerYaml(held, { policy: key });
  const isWritten = yaml?.place !== undefined;
  return isWritten ? `${yaml.lines.join("\n").trimEnd()}\n` : printed(object);
}

/** Without what API servers add, which nobody writes. */
function printed({ value }: ManifestObject): string {
  const { metadata, ...rest } = value;
  const kept = isObject(metadata) ? writtenMetadata(metadata) : {};
  const { apiVersion, kind, ...others } = Object.fromEntries(
    Object.entries(rest).filter(([field]) => field !== "status"),
  );
  return writeYaml([
    { value: { apiVersion: apiVersion!, kind: kind!, metadata: kept, ...others }, comments: [] },
  ]);
}

const ofServers = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"];

const writtenMetadata = (metadata: JsonObject): Json =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !ofServers.includes(key)));

/** What is wrong with a text, where exactly, and what it would do to the objects that there are. */
export interface CheckView {
  readonly problems: readonly ProblemView[];
  readonly edits: readonly { readonly what: "added" | "replaced" | "deleted"; readonly object: string }[];
  /** Objects that are no policies. */
  readonly others: readonly string[];
}

export interface ProblemView extends Pick<Diagnostic, "code" | "severity" | "message" | "hint"> {
  readonly from: number;
  readonly to: number;
}

function answerCheck(held: HeldState, edit: PolicyEdit): CheckView {
  const { diagnostics, edits, others } = EditDesk.of(held).edited(edit);
  const { text } = edit;
  const starts = lineStarts(text);
  return {
    problems: diagnostics.map(({ code, severity, message, hint, place }) => {
      const from = place === undefined ? 0 : (starts[place.line - 1] ?? text.length) + place.column - 1;
      const to = place === undefined ? 0 : Math.min(text.length, from + place.length);
      return {
        code,
        severity,
        message,
        ...(hint === undefined ? {} : { hint }),
        from: Math.min(from, to),
        to,
      };
    }),
    edits: edits.map(({ what, object }) => ({ what, object })),
    others,
  };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

/** What changes, in figures and examples. Quick, however large the cluster. */
export interface OutlineView {
  readonly sections: readonly SectionView[];
  /** So much that it takes long to say who is responsible for each. */
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

/** Everything: who is responsible for each change, and what one would rather have known. */
function answerDifference(held: HeldState, edit: PolicyEdit): DifferenceView {
  const desk = EditDesk.of(held);
  return differenceView(desk.rehearsal.preview(desk.edited(edit)), desk.caveats(edit));
}

function answerCompletions(held: HeldState, { text, offset }: PlaceRequest): Completions | undefined {
  return completionsAt(text, offset, EditDesk.of(held).words);
}

const answerHover = (_: HeldState, { text, offset }: PlaceRequest): Hover | undefined =>
  hoverAt(text, offset);

export interface StartRequest {
  /** How names begin that are not meant. */
  readonly unlike: readonly string[];
}

/** The namespace that templates are filled in with: one that people work in. */
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
