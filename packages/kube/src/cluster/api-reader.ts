import type { IncomingMessage } from "node:http";
import { isObject, type JsonObject } from "@tierwall/core";
import { bodyText, type Connection, type KubeRequest, messageOf } from "./connection.js";
import { type Trouble, troubleOf } from "./trouble.js";

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

  /** A whole object; absent where the server says that it is as before. */
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
