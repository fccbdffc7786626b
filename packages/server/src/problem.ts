import type { Diagnostic, JsonValue } from "@tierwall/core";
import { diagnosticsJson } from "@tierwall/core/report";

/** Why there is no answer, as in RFC 9457; with diagnostics, if there are any. */
export interface Problem {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 414 | 415 | 500 | 503;
  /** Says what to do, as a diagnostic does. */
  readonly detail: string;
  readonly diagnostics?: readonly Diagnostic[];
  readonly headers?: Readonly<Record<string, string>>;
}

const titles: Readonly<Record<Problem["status"], string>> = {
  400: "Bad request",
  401: "A token is needed",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  409: "The state has errors",
  413: "Body too large",
  414: "URL too long",
  415: "Unsupported media type",
  500: "Internal error",
  503: "Unavailable",
};

export const problemType = "application/problem+json";

export function problemResponse(problem: Problem): Response {
  const { status, headers = {} } = problem;
  return new Response(problemText(problem), {
    status,
    headers: { "Content-Type": problemType, "Cache-Control": "no-store", ...headers },
  });
}

export function problemText({ status, detail, diagnostics = [] }: Problem): string {
  const body: JsonValue = {
    type: "about:blank",
    title: titles[status],
    status,
    detail,
    diagnostics: diagnosticsJson(diagnostics),
  };
  return JSON.stringify(body);
}
