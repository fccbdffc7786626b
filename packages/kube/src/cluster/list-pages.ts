import type { IncomingMessage } from "node:http";
import type { JsonObject } from "@tierwall/core/manifest";
import { listAt, textAt } from "./object-fields.js";
import { type Trouble, troubleOf } from "./trouble.js";

/** A large list comes in pages. */
const pageSize = 500;

/** Lists all objects of a kind, and passes them on page by page: nobody is kept from other work for long. */
export async function listPages(
  get: (path: string) => Promise<IncomingMessage>,
  path: string,
  kind: string,
  take: (object: JsonObject) => void,
): Promise<{ readonly version: string } | { readonly trouble: Trouble }> {
  for (let next = ""; ; ) {
    const more = next === "" ? "" : `&continue=${encodeURIComponent(next)}`;
    const response = await get(`${path}?limit=${pageSize}${more}`);
    if (response.statusCode !== 200) return { trouble: await troubleOf(response) };
    const page = JSON.parse(await bodyText(response)) as JsonObject;
    const version = textAt(page, "metadata", "resourceVersion");
    // Somebody on the way may answer anything, and an empty cluster is not what they mean.
    if (version === "") return { trouble: { kind: "failed", message: "the answer is no list of objects" } };
    // Items of a list do not say what they are.
    for (const item of listAt(page, "items") as readonly JsonObject[])
      take({ ...item, apiVersion: page.apiVersion!, kind });
    next = textAt(page, "metadata", "continue");
    if (next === "") return { version };
  }
}

export async function bodyText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
