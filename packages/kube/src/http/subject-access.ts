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

/** Whether the API server lets an account do something. Rejects where it does not answer. */
export async function subjectAccess(
  connection: Connection,
  { username, ...user }: ReviewedUser,
  attributes: AccessAttributes,
  signal: AbortSignal,
): Promise<boolean> {
  const spec = { user: username, ...user, ...attributes };
  const status = await review(connection, "authorization.k8s.io", "SubjectAccessReview", spec, signal);
  return valueAt(status, "allowed") === true && valueAt(status, "denied") !== true;
}

/** The `status` that the API server gives a review. */
export async function review(
  connection: Connection,
  group: string,
  kind: string,
  spec: object,
  signal: AbortSignal,
): Promise<Json | undefined> {
  const apiVersion = `${group}/v1`;
  const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
  const body = { apiVersion, kind, spec };
  const answer = await jsonRequest(connection, { method: "POST", path, body, signal });
  if (answer.status >= 300) throw new Error(`the API server answered ${answer.status} to a ${kind}`);
  return answer.body.status;
}
