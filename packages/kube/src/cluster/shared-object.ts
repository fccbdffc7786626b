import type { JsonObject } from "@tierwall/core/manifest";
import type { Connection } from "./connection.js";
import { jsonRequest, refusalIn } from "./json-request.js";

/** An object that several processes write, each only over what it has read. */
export class SharedObject {
  constructor(
    private readonly connection: Connection,
    /** `/api/v1/namespaces/shop/secrets` */
    private readonly collection: string,
    /** As it is made where there is none. */
    private readonly made: JsonObject & { readonly metadata: JsonObject & { readonly name: string } },
  ) {}

  /** Undefined: there is none. */
  async read(signal: AbortSignal): Promise<JsonObject | undefined> {
    const answer = await jsonRequest(this.connection, { path: this.path, signal });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw new Error(refusalIn(answer));
    return answer.body;
  }

  /** What is there then; undefined: it is not as it was read, since another process was faster. */
  async write(
    read: JsonObject | undefined,
    fields: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const answer = await jsonRequest(this.connection, {
      method: read === undefined ? "POST" : "PUT",
      path: read === undefined ? this.collection : this.path,
      body: { ...(read ?? this.made), ...fields },
      signal,
    });
    if (answer.status === 409 || (answer.status === 404 && read !== undefined)) return undefined;
    if (answer.status >= 300) throw new Error(refusalIn(answer));
    return answer.body;
  }

  private get path(): string {
    return `${this.collection}/${this.made.metadata.name}`;
  }
}
