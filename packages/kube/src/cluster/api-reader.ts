import type { IncomingMessage } from "node:http";
import { isObject, type JsonObject } from "@tierwall/core/manifest";
import { bodyText, type Connection, type KubeRequest, messageOf } from "./connection.js";
import { objectIn, objectsAt, textAt } from "./object-fields.js";

/** Why the API server did not give what it was asked for, as far as it makes a difference to what is done next. */
export type Trouble =
  /** The kind is not served: its definition may be installed later. */
  | { readonly kind: "missing"; readonly message: string }
  | { readonly kind: "forbidden"; readonly message: string }
  /** What was seen last is too old, or not known to this server: only a new list helps. */
  | { readonly kind: "expired"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string; readonly retryAfterSeconds?: number };

/** No answer, and why. */
export interface Failed {
  readonly trouble: Trouble;
}

type Headers = Readonly<Record<string, string>>;

/** Reads from an API server. Never rejects: what goes wrong is part of the answer. */
export class ApiReader {
  constructor(
    private readonly connection: Connection,
    private readonly options: Pick<KubeRequest, "idleMilliseconds" | "signal">,
  ) {}

  /** An answer that begins to come, with status 200, or with 304 where the headers ask for that. */
  async open(path: string, headers: Headers = {}): Promise<{ readonly response: IncomingMessage } | Failed> {
    try {
      const response = await this.connection.send({ path, headers, ...this.options });
      const isGiven = response.statusCode === 200 || response.statusCode === 304;
      return isGiven ? { response } : { trouble: await troubleOf(response) };
    } catch (cause) {
      return failed(messageOf(cause));
    }
  }

  /** A whole object; absent where the server answers that it did not change. */
  async read(
    path: string,
    headers?: Headers,
  ): Promise<{ readonly body: JsonObject | undefined; readonly tag: string } | Failed> {
    const opened = await this.open(path, headers);
    if ("trouble" in opened) return opened;
    const { statusCode, headers: answered } = opened.response;
    try {
      const text = await bodyText(opened.response);
      const value: unknown = statusCode === 304 ? undefined : JSON.parse(text);
      const body = value === undefined || isObject(value) ? value : {};
      return { body, tag: answered.etag ?? "" };
    } catch (cause) {
      return failed(messageOf(cause));
    }
  }
}

export const failed = (message: string): Failed => ({ trouble: { kind: "failed", message } });

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
