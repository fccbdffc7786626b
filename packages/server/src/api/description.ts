import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Representation } from "../representation.js";
import type { Operation } from "./operation.js";

/** The description of all operations: OpenAPI 3.1. */
export function descriptionOperation(): Operation {
  const bytes = new Uint8Array(readFileSync(new URL("../../openapi.yaml", import.meta.url)));
  const version = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const body = new Representation(bytes, { type: "application/yaml", version, cache: "no-cache", effort: 9 });
  return {
    method: "GET",
    path: "/openapi.yaml",
    parameters: {},
    answer: async ({ request }) => body.answer(request),
  };
}
