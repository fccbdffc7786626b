import type { JsonObject } from "@tierwall/core/manifest";
import { bodyText, type Connection, type KubeRequest } from "./connection.js";
import { objectIn, textAt } from "./object-fields.js";

interface JsonRequest extends Pick<KubeRequest, "method" | "path" | "signal"> {
  readonly body?: object;
  /** `apply` is server-side apply: the body is all that we want to own. */
  readonly as?: "object" | "apply" | "merge";
}

interface JsonAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Nothing that is asked here takes longer where all is well. */
const idleMilliseconds = 10_000;

const contentTypes = {
  object: "application/json",
  // JSON is YAML too.
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
} as const;

/** One object to or from an API server. Rejects where there is no answer. */
export async function jsonRequest(
  connection: Connection,
  { body, as = "object", ...request }: JsonRequest,
): Promise<JsonAnswer> {
  const response = await connection.send({
    ...request,
    idleMilliseconds,
    headers: { "content-type": contentTypes[as] },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.statusCode ?? 0, body: objectIn(await bodyText(response)) };
}

/** The message of the API server, or of a proxy, about a request that it refuses. */
export const refusalIn = ({ status, body }: JsonAnswer): string =>
  textAt(body, "message") || `the API server answered ${status}`;
