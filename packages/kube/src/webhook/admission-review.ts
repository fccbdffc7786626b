import { isObject, type Json, type JsonObject } from "@tierwall/core/manifest";
import { type ReviewedUser, userIn } from "../http/subject-access.js";

/** What an API server asks about, of `admission.k8s.io/v1`. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  /** The user of the request; absent where the review has none. */
  readonly user?: ReviewedUser;
  /** Of the whole review. */
  readonly bytes?: number;
  /** The new object; absent for deletions. */
  readonly object?: JsonObject;
  /** The current object; absent for creations. */
  readonly oldObject?: JsonObject;
}

export type AdmissionAnswer =
  | { readonly allowed: true; readonly warnings: readonly string[] }
  /** `code`: 422 for what is not valid, unless given. */
  | { readonly allowed: false; readonly message: string; readonly code?: 403 };

type ReadReview =
  | { readonly ok: true; readonly request: AdmissionRequest }
  | { readonly ok: false; readonly message: string };

const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const;

export function readReview(text: string, bytes = text.length): ReadReview {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refusal("the body is not JSON");
  }
  if (!isObject(value) || value.kind !== "AdmissionReview" || value.apiVersion !== "admission.k8s.io/v1")
    return refusal("the body is not an AdmissionReview of `admission.k8s.io/v1`");
  if (isDeeperThan(value, deepest))
    return refusal(`the AdmissionReview is nested deeper than ${deepest} levels`);
  const { request } = value;
  if (!isObject(request) || typeof request.uid !== "string" || !/^[\x21-\x7e]{1,128}$/.test(request.uid))
    return refusal("the AdmissionReview has no `request` with a `uid`");
  const operation = operations.find((one) => one === request.operation);
  if (operation === undefined) return refusal("the AdmissionReview has no known `operation`");
  const user = userIn(request.userInfo);
  return {
    ok: true,
    request: {
      uid: request.uid,
      operation,
      ...(user === undefined ? {} : { user }),
      bytes,
      ...objectIn("object", request.object),
      ...objectIn("oldObject", request.oldObject),
    },
  };
}

/** No object of Kubernetes is deeper. Code that reads objects is recursive, and must not run out of stack. */
const deepest = 256;

function isDeeperThan(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((one): unknown[] =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}

const refusal = (message: string): ReadReview => ({ ok: false, message });

const objectIn = (name: "object" | "oldObject", value: Json | undefined): Partial<AdmissionRequest> =>
  isObject(value) ? { [name]: value } : {};

const reasons = {
  403: { code: 403, reason: "Forbidden" },
  422: { code: 422, reason: "Invalid" },
} as const;

/** The review that answers one. */
export function reviewOf(uid: string, answer: AdmissionAnswer): object {
  const response = answer.allowed
    ? { uid, allowed: true, ...(answer.warnings.length === 0 ? {} : { warnings: answer.warnings }) }
    : { uid, allowed: false, status: { ...reasons[answer.code ?? 422], message: answer.message } };
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
}
