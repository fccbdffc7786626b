import type { Diagnostic } from "@tierwall/core";
import { type ForeignKind, formatPath, type JsonObject } from "@tierwall/core/manifest";
import { visibleWithin } from "@tierwall/core/report";
import { type Admission, admissionOf } from "@tierwall/core/state";
import { asManifest } from "../cluster/cluster-object.js";
import { namesOfForeign } from "../cluster/foreign-kinds.js";
import type { AdmissionAnswer, AdmissionRequest } from "./admission-review.js";
import { editOf, type PolicyEdit } from "./analyst.js";
import type { Judge, Judgement } from "./analyst-thread.js";
import type { Visibility } from "./visibility.js";
import { warningLines } from "./warning-lines.js";
import { textAt, valueAt } from "../cluster/object-fields.js";

/** Why less was found out than there is to know. */
type Fallback = "time" | "not-ready" | "failed" | "busy";

export interface Admitted {
  readonly answer: AdmissionAnswer;
  readonly judgement?: Judgement;
  readonly fallback?: Fallback;
}

interface Admitting {
  readonly judge: Judge;
  readonly visibility: Visibility;
  /** Whether the judge has seen the whole cluster. */
  readonly isReady: () => boolean;
  /** Kinds of policies of other projects that are served and cannot be read. */
  readonly unreadForeign?: readonly ForeignKind[];
  /** When an answer is due, on the clock of `Date.now()`. */
  readonly deadline: number;
}

/** Lets in what is valid and says what it does; refuses what is not. A deletion is never refused. */
export async function admit(request: AdmissionRequest, admitting: Admitting): Promise<Admitted> {
  const { operation, object, oldObject } = request;
  if (operation === "DELETE")
    return oldObject === undefined || admissionOf(asManifest(oldObject)).what === "ignored"
      ? silence
      : effectsOf(request, editOf(oldObject, "delete"), [], admitting);
  // Who only adds a label or a finalizer is told nothing, and gets through even where the policy was never valid.
  if (object === undefined || operation === "CONNECT" || isSameMeaning(object, oldObject)) return silence;
  const admission = admissionOf(asManifest(object));
  switch (admission.what) {
    case "ignored":
      return silence;
    case "refused":
      return { answer: { allowed: false, message: refusalText(admission) } };
    case "taken":
      return effectsOf(request, editOf(object, "apply"), complaintsOf(admission.diagnostics), admitting);
  }
}

const silence: Admitted = { answer: { allowed: true, warnings: [] } };

/** Annotations count, as some of them say how a policy is enforced. */
function isSameMeaning(object: JsonObject, oldObject: JsonObject | undefined): boolean {
  const meaning = (one: JsonObject) => {
    const annotations = valueAt(one, "metadata", "annotations") ?? {};
    const ours = Object.entries(annotations).filter(([key]) => key.startsWith("tierwall.dev/"));
    return JSON.stringify([one.spec, one.specs, ours]);
  };
  return oldObject !== undefined && meaning(object) === meaning(oldObject);
}

async function effectsOf(
  request: AdmissionRequest,
  edit: PolicyEdit,
  complaints: readonly string[],
  admitting: Admitting,
): Promise<Admitted> {
  if (!admitting.isReady()) {
    const warnings = warningLines([], [...complaints, toldBy(notReady)]);
    return { answer: { allowed: true, warnings }, fallback: "not-ready" };
  }
  const { bytes = 0 } = request;
  const found = await judgementFor(request, { ...edit, bytes }, admitting);
  const unread = unreadWarnings(found.warnings, admitting.unreadForeign);
  const judgement = { ...found, warnings: [...found.warnings, ...unread] };
  const shortfall = shortfallOf(judgement);
  const remarks = shortfall === undefined ? [] : [toldBy(shortfall)];
  return {
    answer: { allowed: true, warnings: warningLines(judgement.warnings, [...remarks, ...complaints]) },
    judgement,
    ...(shortfall === undefined ? {} : { fallback: shortfall[0] }),
  };
}

/** What the user is told about it. */
type Shortfall = readonly [why: Fallback, text: string];

const toldBy = ([, text]: Shortfall): string => `Tierwall ${text} \`tierwall preview\` tells`;

const notReady: Shortfall = ["not-ready", "is still reading the cluster and cannot say what this changes;"];

function shortfallOf({ missing, failure, busy = false }: Judgement): Shortfall | undefined {
  if (busy) return ["busy", "has too many other edits to judge and did not look at this one;"];
  // Why it failed is for the log: it may name objects that the user cannot read.
  if (failure !== undefined)
    return ["failed", "could not find out all that this changes; its log has the reason,"];
  if (missing.includes("connections")) return ["time", "had no time to find out what this changes;"];
  if (missing.length > 0) return ["time", "had no time to find out what this overrides;"];
  return undefined;
}

/** S9.7: what is found holds where policies that are not seen leave it to ours. */
function unreadWarnings(
  found: Judgement["warnings"],
  unread: readonly ForeignKind[] = [],
): Judgement["warnings"] {
  const kinds = unread.filter(({ effect }) => effect.kind === "l3-l4");
  if (found.length === 0 || kinds.length === 0) return [];
  const text = `policies of other projects may decide otherwise, and Tierwall cannot read them: ${namesOfForeign(kinds)}`;
  return [{ about: "undecided", text }];
}

/**
 * What an edit does, as far as the user may know it. First with what they may read in the whole cluster and where the policy is; if it
 * touches other namespaces that they may read, again with these.
 */
async function judgementFor(
  { user, object, oldObject }: AdmissionRequest,
  edit: PolicyEdit,
  { judge, visibility, deadline }: Admitting,
): Promise<Judgement> {
  if (user === undefined) return judge.judge(edit, new Map(), deadline);
  const namespace = textAt(object ?? oldObject, "metadata", "namespace") || undefined;
  const readable = await visibility.readableBy(user, namespace, deadline);
  const first = await judge.judge(edit, readable, deadline);
  if (first.unread.length === 0 || first.missing.length > 0) return first;
  const more = await visibility.extended(user, readable, first.unread, deadline);
  if (more === undefined) return first;
  const second = await judge.judge(edit, more, deadline);
  return second.missing.length === 0 && second.failure === undefined ? second : first;
}

const complaintsOf = (found: readonly Diagnostic[]): readonly string[] =>
  found.filter(({ severity }) => severity === "warning").map(complaintText);

/** `TW2015 spec.ingress[0].from[0].galaxies: unknown field …`. */
function complaintText({ code, message, path = [] }: Diagnostic): string {
  return `${code} ${path.length === 0 ? "" : `${formatPath(path)}: `}${message}`;
}

const mostTold = 10;
const longestRefusal = 1000;

/** As `tierwall validate` says it, with the field in the place of the line. */
function refusalText({ diagnostics }: Extract<Admission, { what: "refused" }>): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const texts = errors
    .slice(0, mostTold)
    .map((error) => `error ${complaintText(error)}${error.hint === undefined ? "" : ` (${error.hint})`}`)
    .map((text) => visibleWithin(text, longestRefusal));
  const rest = errors.length - texts.length;
  return [...texts, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}
