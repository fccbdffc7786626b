import type { Readable } from "@tierwall/core/analysis";
import type { ForeignKind } from "@tierwall/core/manifest";
import { textAt } from "../cluster/object-fields.js";
import type { AdmissionAnswer, AdmissionRequest } from "./admission-review.js";
import type { Judge, Judgement } from "./analyst-thread.js";
import type { Visibility } from "./visibility.js";

/** Why an answer is not complete. */
export type Fallback = "time" | "not-ready" | "failed" | "busy";

export interface Admitted {
  readonly answer: AdmissionAnswer;
  readonly judgement?: Judgement;
  readonly fallback?: Fallback;
}

export interface Admitting {
  readonly judge: Judge;
  readonly visibility: Visibility;
  /** Whether the whole cluster was read. */
  readonly isReady: () => boolean;
  /** Kinds of policies of other projects that are served and cannot be read. */
  readonly unreadForeign?: readonly ForeignKind[];
  /** When an answer is due, on the clock of `Date.now()`. */
  readonly deadline: number;
}

export const silence: Admitted = { answer: { allowed: true, warnings: [] } };

/** What the user may read in the whole cluster, and in the namespace of the object. */
export async function readableIn(
  { user, object, oldObject }: AdmissionRequest,
  { visibility, deadline }: Pick<Admitting, "visibility" | "deadline">,
): Promise<Readable> {
  if (user === undefined) return new Map();
  const namespace = textAt(object ?? oldObject, "metadata", "namespace") || undefined;
  return visibility.readableBy(user, namespace, deadline);
}
