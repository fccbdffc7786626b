import { isObject, type Json } from "@tierwall/core/manifest";
import type { Connection } from "../cluster/connection.js";
import { jsonRequest } from "../cluster/json-request.js";
import { listAt, textAt, valueAt } from "../cluster/object-fields.js";

/** An account, as TokenReviews and AdmissionReviews describe it. */
export interface ReviewedUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Undefined where it names no account. */
export function userIn(value: Json | undefined): ReviewedUser | undefined {
  const [username, uid] = [textAt(value, "username"), textAt(value, "uid")];
  if (!isObject(value) || username === "") return undefined;
  const extra = isObject(value.extra) ? Object.entries(value.extra) : [];
  return {
    username,
    ...(uid === "" ? {} : { uid }),
    groups: textsIn(value.groups),
    extra: Object.fromEntries(extra.map(([key, texts]) => [key, textsIn(texts)])),
  };
}

const textsIn = (value: Json | undefined): readonly string[] =>
  listAt(value).filter((text) => typeof text === "string");

/** What a SubjectAccessReview asks about. */
type AccessAttributes =
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
  return valueAt(body, "status", "allowed") === true && valueAt(body, "status", "denied") !== true;
}
