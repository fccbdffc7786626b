import type { Diagnostic, JsonValue } from "@tierwall/core";
import { diagnosticsJson } from "@tierwall/core/report";

/** Why there is no answer, as RFC 9457 has it; with our own diagnostics, where they say it. */
export interface Problem {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 414 | 415 | 500 | 503;
  /** Says what to do, as a diagnostic does. */
  readonly detail: string;
  readonly diagnostics?: readonly Diagnostic[];
  readonly headers?: Readonly<Record<string, string>>;
}

const titles: Readonly<Record<Problem["status"], string>> = {
  400: "Not a question",
  401: "A token is needed",
  403: "Not from there",
  404: "Not found",
  405: "Not that method",
  409: "The state has errors",
  413: "Too much",
  414: "Too long a question",
  415: "Not that media type",
  500: "A mistake of our own",
  503: "Not now",
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
