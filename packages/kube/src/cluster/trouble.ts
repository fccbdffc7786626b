import type { IncomingMessage } from "node:http";
import { isObject } from "@tierwall/core";

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
  return troubleFrom(response.statusCode ?? 0, statusIn(text), Number(response.headers["retry-after"]));
}

/** Of a Status object, which answers and watches alike carry. */
export function troubleFrom(code: number, status: unknown, retryAfter = Number.NaN): Trouble {
  const { message, reason, details } = isObject(status) ? status : {};
  const said = typeof message === "string" && message !== "" ? message : `the API server answered ${code}`;
  if (code === 404) return { kind: "missing", message: said };
  if (code === 401 || code === 403) return { kind: "forbidden", message: said };
  if (code === 410 || reason === "Expired" || reason === "Gone" || isTooLarge(details))
    return { kind: "expired", message: said };
  return {
    kind: "failed",
    message: said,
    ...(Number.isFinite(retryAfter) && retryAfter >= 0 ? { retryAfterSeconds: retryAfter } : {}),
  };
}

/** A version from the future: the server's data was put back to an earlier time. */
function isTooLarge(details: unknown): boolean {
  const causes = isObject(details) && Array.isArray(details.causes) ? (details.causes as unknown[]) : [];
  return causes.some((cause) => isObject(cause) && cause.reason === "ResourceVersionTooLarge");
}

function statusIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { message: text.trim().slice(0, 300) };
  }
}
