import { isUtf8 } from "node:buffer";
import type { TextSource } from "@tierwall/core";
import type { Problem } from "../problem.js";
import { sentFile } from "../reading.js";

export type SentManifests =
  | { readonly ok: true; readonly sources: readonly TextSource[] }
  | { readonly ok: false; readonly problem: Problem };

/** In bytes: more than all policies of a large cluster. */
export const longestBody = 8 * 1024 * 1024;

const manifestTypes = ["application/yaml", "application/x-yaml", "text/yaml", "application/json"];

/** The manifests in a request, as for `kubectl apply -f -`; an empty body has none. */
export async function sentManifests(request: Request): Promise<SentManifests> {
  const type = (request.headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  const announced = Number(request.headers.get("Content-Length") ?? 0);
  const bytes = announced > longestBody ? undefined : await bodyOf(request);
  if (bytes === undefined)
    return refusal({ status: 413, detail: `send at most ${longestBody / 1024 / 1024} MiB of manifests` });
  if (bytes.length === 0) return { ok: true, sources: [] };
  if (!manifestTypes.includes(type))
    return refusal({
      status: 415,
      detail: `send manifests as application/yaml or application/json, not as \`${type.slice(0, 100)}\``,
    });
  if (!isUtf8(bytes)) return refusal({ status: 400, detail: "send manifests encoded in UTF-8" });
  return { ok: true, sources: [{ file: sentFile, text: bytes.toString("utf8") }] };
}

const refusal = (problem: Problem): SentManifests => ({ ok: false, problem });

/** Undefined if it is too long; the rest is not read. */
async function bodyOf(request: Request): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  if (request.body === null) return Buffer.alloc(0);
  for await (const piece of request.body as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > longestBody) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
