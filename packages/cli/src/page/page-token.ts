import { readFileSync } from "node:fs";
import type { Diagnostic, Result } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";

/** Others may try tokens as often as they like. */
const shortestToken = 16;

/** The token that users of the page need. */
export function readToken(file: string): Result<string> {
  try {
    const token = readFileSync(file, "utf8").trim();
    if (token.length >= shortestToken && !/\s/.test(token)) return { ok: true, value: token };
    return refusal(`\`${file}\` holds no token: at least ${shortestToken} characters without spaces`);
  } catch (cause) {
    return refusal(`\`${file}\` cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

const refusal = (message: string): { readonly ok: false; readonly diagnostic: Diagnostic } => ({
  ok: false,
  diagnostic: diagnostic("TW1004", message),
});
