import type { ForeignKind } from "@tierwall/core/manifest";
import { admissionOf } from "@tierwall/core/state";
import { asManifest } from "../cluster/cluster-object.js";
import { hasSameMeaning } from "../cluster/same-meaning.js";
import { admitGuarantee, isGuarantee } from "./admit-guarantee.js";
import { type Broken, brokenBy } from "./broken-guarantees.js";
import { namesOfForeign } from "../cluster/foreign-kinds.js";
import type { AdmissionRequest } from "./admission-review.js";
import { editOf, type PolicyEdit } from "./analyst.js";
import { type Admitted, type Admitting, type Fallback, readableIn, silence } from "./admitting.js";
import type { Judgement } from "./analyst-thread.js";
import { complaintsOf, refusalText } from "./refusal-text.js";
import { warningLines } from "./warning-lines.js";

/**
 * Admits what is valid, and reports what it does. Refuses what is not valid, and what breaks a Guarantee with `onBreak: Refuse`. Other deletions are
 * always admitted.
 */
export async function admit(request: AdmissionRequest, admitting: Admitting): Promise<Admitted> {
  const { operation, object, oldObject } = request;
  if (isGuarantee(object ?? oldObject)) return admitGuarantee(request, admitting);
  if (operation === "DELETE")
    return oldObject === undefined || admissionOf(asManifest(oldObject)).what === "ignored"
      ? silence
      : effectsOf(request, editOf(oldObject, "delete"), [], admitting);
  // A change of labels or finalizers only is admitted without warnings, even where the policy was never valid.
  if (
    object === undefined ||
    operation === "CONNECT" ||
    (oldObject !== undefined && hasSameMeaning(object, oldObject))
  )
    return silence;
  const admission = admissionOf(asManifest(object));
  switch (admission.what) {
    case "ignored":
      return silence;
    case "refused":
      return { answer: { allowed: false, message: refusalText(admission.diagnostics) } };
    case "taken":
      return effectsOf(request, editOf(object, "apply"), complaintsOf(admission.diagnostics), admitting);
  }
}

async function effectsOf(
  request: AdmissionRequest,
  edit: PolicyEdit,
  complaints: readonly string[],
  admitting: Admitting,
): Promise<Admitted> {
  if (!admitting.isReady()) {
    const warnings = warningLines([], [...complaints, remarkOf(notReady)]);
    return { answer: { allowed: true, warnings }, fallback: "not-ready" };
  }
  const { bytes = 0 } = request;
  const { found, broken } = await judgementFor(request, { ...edit, bytes }, admitting);
  if (broken.refusals.length > 0)
    return { answer: { allowed: false, code: 403, message: broken.refusals.join("\n") } };
  const unread = unreadWarnings(found.warnings, admitting.unreadForeign);
  const judgement = { ...found, warnings: [...found.warnings, ...unread] };
  const shortfall = shortfallOf(judgement);
  const remarks = shortfall === undefined ? [] : [remarkOf(shortfall)];
  return {
    answer: {
      allowed: true,
      warnings: warningLines([...broken.warnings, ...judgement.warnings], [...remarks, ...complaints]),
    },
    judgement: { ...judgement, warnings: [...broken.warnings, ...judgement.warnings] },
    ...(shortfall === undefined ? {} : { fallback: shortfall[0] }),
  };
}

/** Why the analysis is not complete, and what the user reads about it. */
type Shortfall = readonly [why: Fallback, text: string];

const remarkOf = ([, text]: Shortfall): string => `Tierwall ${text} \`tierwall preview\` shows it`;

const notReady: Shortfall = ["not-ready", "is still reading the cluster and cannot say what this changes;"];

function shortfallOf({ missing, failure, busy = false }: Judgement): Shortfall | undefined {
  if (busy) return ["busy", "has too many other edits to judge and did not look at this one;"];
  // Why it failed is for the log: it may name objects that the user cannot read.
  if (failure !== undefined)
    return ["failed", "could not find out all that this changes; its log has the reason;"];
  if (missing.includes("connections"))
    return ["time", "had no time to find out what this changes, and whether guarantees still hold;"];
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
  request: AdmissionRequest,
  edit: PolicyEdit,
  admitting: Admitting,
): Promise<{ readonly found: Judgement; readonly broken: Broken }> {
  const { judge, visibility, deadline } = admitting;
  const { user } = request;
  const readable = await readableIn(request, admitting);
  // Both are sent before either is answered. Guarantees come first: they can refuse the edit.
  const [affected, first] = await Promise.all([
    judge.ask({ what: "check", edit }, deadline),
    judge.judge(edit, readable, deadline),
  ]);
  const broken = brokenBy(affected, readable);
  if (user === undefined || first.unread.length === 0 || first.missing.length > 0)
    return { found: first, broken };
  const more = await visibility.extended(user, readable, first.unread, deadline);
  if (more === undefined) return { found: first, broken };
  const second = await judge.judge(edit, more, deadline);
  const isComplete = second.missing.length === 0 && second.failure === undefined;
  return { found: isComplete ? second : first, broken };
}
