import type { IncomingMessage } from "node:http";
import { objectIn, objectsAt, textAt } from "./object-fields.js";

/** Why the API server did not give what it was asked for, as far as it makes a difference to what is done next. */
export type Trouble =
  /** The kind is not served: its definition may come. */
  | { readonly kind: "missing"; readonly message: string }
  | { readonly kind: "forbidden"; readonly message: string }
  /** What was seen last is too old, or not known to this server: only a new list helps. */
  | { readonly kind: "expired"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string; readonly retryAfterSeconds?: number };

/** Longer explanations are cut. */
const longestBody = 64 * 1024;

export async function troubleOf(response: IncomingMessage): Promise<Trouble> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk as string;
    if (text.length > longestBody) break;
  }
  return troubleFrom(response.statusCode ?? 0, objectIn(text), Number(response.headers["retry-after"]));
}

/** Of a Status object, which answers and watches alike carry. */
export function troubleFrom(code: number, status: unknown, retryAfter = Number.NaN): Trouble {
  const said = textAt(status, "message") || `the API server answered ${code}`;
  const reason = textAt(status, "reason");
  if (code === 404) return { kind: "missing", message: said };
  if (code === 401 || code === 403) return { kind: "forbidden", message: said };
  if (code === 410 || reason === "Expired" || reason === "Gone" || isTooLarge(status))
    return { kind: "expired", message: said };
  return {
    kind: "failed",
    message: said,
    ...(Number.isFinite(retryAfter) && retryAfter >= 0 ? { retryAfterSeconds: retryAfter } : {}),
  };
}

/** A version from the future: the server's data was put back to an earlier time. */
const isTooLarge = (status: unknown): boolean =>
  objectsAt(status, "details", "causes").some(({ reason }) => reason === "ResourceVersionTooLarge");
