import { isObject, type JsonObject } from "@tierwall/core/manifest";
import { readGuarantee } from "@tierwall/core/prove";
import { asManifest } from "../cluster/cluster-object.js";
import { guaranteeKind } from "../cluster/kinds.js";
import { listAt, textAt } from "../cluster/object-fields.js";
import { hasSameMeaning } from "../cluster/same-meaning.js";
import type { GuaranteeAnswer } from "../guarantees/guarantee-answer.js";
import type { AdmissionRequest } from "./admission-review.js";
import { type Admitted, type Admitting, readableIn, silence } from "./admitting.js";
import { refusalText } from "./refusal-text.js";
import { warningLines } from "./warning-lines.js";

export const isGuarantee = (object: JsonObject | undefined): boolean =>
  isObject(object) &&
  object.kind === guaranteeKind.kind &&
  textAt(object, "apiVersion").startsWith(`${guaranteeKind.group}/`);

/**
 * Admits a Guarantee that is valid, whether it holds or not, and answers which. Its deletion is always admitted: that is how users make
 * a change that it refuses.
 */
export async function admitGuarantee(request: AdmissionRequest, admitting: Admitting): Promise<Admitted> {
  const { operation, object, oldObject } = request;
  if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return silence;
  if (oldObject !== undefined && hasSameMeaning(object, oldObject)) return silence;
  const { guarantee, diagnostics } = readGuarantee(asManifest(object));
  if (guarantee === undefined) return { answer: { allowed: false, message: refusalText(diagnostics) } };
  const remarks = listAt(object, "spec", "given").length === 0 ? [] : [givenIsUnused];
  const allowed = (lines: readonly string[]) =>
    ({ allowed: true, warnings: warningLines([], [...lines, ...remarks]) }) as const;
  if (!admitting.isReady())
    return { answer: allowed(["whether the guarantee holds is not known yet"]), fallback: "not-ready" };
  const readable = await readableIn(request, admitting);
  const tried = await admitting.judge.ask({ what: "try", object }, admitting.deadline);
  if (tried === undefined)
    return { answer: allowed(["it was not decided in time whether the guarantee holds"]), fallback: "time" };
  const isReadable = tried.kinds.every((kind) => readable === "everything" || readable.get(kind) === "all");
  return { answer: allowed([answerText(tried.answer, isReadable)]) };
}

const givenIsUnused = "`spec.given` names files and is not used here: the policies of the cluster are given";

/** Users who cannot read the policies do not learn what they decide. */
function answerText({ result, text, restsOn }: GuaranteeAnswer, isReadable: boolean): string {
  const why = (reason: string) => (isReadable ? `: ${reason}` : "");
  switch (result) {
    case "Proven":
      return `the guarantee holds${why(restsOn.length === 0 ? "it rests on no policy" : `it rests on ${restsOn.join(", ")}`)}`;
    case "Refuted":
      return `the guarantee does not hold${why(text)}`;
    case "NotDecided":
      return `it was not decided whether the guarantee holds${why(text)}`;
    case "Vacuous":
      return `the guarantee has no effect: ${text}`;
    case "Invalid":
      return `the guarantee cannot be decided: ${text}`;
  }
}
