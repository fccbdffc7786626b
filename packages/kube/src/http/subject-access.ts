import { isObject, type Json, type JsonObject } from "@tierwall/core";
import type { Connection } from "../cluster/connection.js";
import { jsonRequest } from "../controller/json-request.js";

/** An account, as TokenReviews and AdmissionReviews describe it. */
export interface ReviewedUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Undefined where it names no account. */
export function userIn(value: Json | undefined): ReviewedUser | undefined {
  if (!isObject(value) || typeof value.username !== "string" || value.username === "") return undefined;
  const extra = isObject(value.extra) ? Object.entries(value.extra) : [];
  return {
    username: value.username,
    ...(typeof value.uid === "string" && value.uid !== "" ? { uid: value.uid } : {}),
    groups: textsIn(value.groups),
    extra: Object.fromEntries(extra.map(([key, texts]) => [key, textsIn(texts)])),
  };
}

const textsIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter((text) => typeof text === "string") : [];

/** What a SubjectAccessReview asks about. */
export type AccessAttributes =
  | { readonly nonResourceAttributes: { readonly path: string; readonly verb: string } }
  | {
      readonly resourceAttributes: {
        readonly group: string;
        readonly resource: string;
        readonly verb: string;
        /** Absent: in the whole cluster. */
        readonly namespace?: string;
      };
    };

/** Whether the API server lets an account do something. Rejects where it does not say. */
export async function subjectAccess(
  connection: Connection,
  { username, ...user }: ReviewedUser,
  attributes: AccessAttributes,
  signal: AbortSignal,
): Promise<boolean> {
  const { status, body } = await jsonRequest(connection, {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: username, ...user, ...attributes },
    },
    signal,
  });
  if (status >= 300) throw new Error(`the API server answered ${status} to a SubjectAccessReview`);
  const review: JsonObject = isObject(body.status) ? body.status : {};
  return review.allowed === true && review.denied !== true;
}
