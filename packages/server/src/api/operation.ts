import type { Diagnostic, JsonValue } from "@tierwall/core";
import { affectsAnswers } from "@tierwall/core/manifest";
import { diagnosticsJson } from "@tierwall/core/report";
import type { CurrentState } from "../current-state.js";
import type { Problem } from "../problem.js";
import { Representation } from "../representation.js";

/** One operation of the HTTP API. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Below /api/v1. */
  readonly path: `/${string}`;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly answer: (call: Call) => Promise<Response> | Response;
}

export interface Parameter {
  readonly given: "always" | "at-most-once" | "any-times";
  /** Absent: any text. */
  readonly choices?: readonly string[];
}

export interface Call {
  readonly request: Request;
  /** Checked against the parameters of the operation. */
  readonly query: URLSearchParams;
  readonly state: CurrentState;
}

export const grainParameter: Parameter = {
  given: "at-most-once",
  choices: ["pod", "workload", "namespace"],
};

/** One parameter is enough: the longest names that Kubernetes knows have 253 characters. */
const longestValue = 1024;

/** What is wrong with a query. */
export function queryProblem(
  query: URLSearchParams,
  parameters: Operation["parameters"],
): Problem | undefined {
  const refuse = (detail: string): Problem => ({ status: 400, detail });
  const names = Object.keys(parameters);
  const unknown = [...query.keys()].find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined) {
    const known =
      names.length === 0 ? "it takes none" : `there is ${names.map((name) => `\`${name}\``).join(", ")}`;
    return refuse(`there is no parameter \`${unknown.slice(0, 100)}\`; ${known}`);
  }
  for (const name of names) {
    const { given, choices } = parameters[name]!;
    const values = query.getAll(name);
    if (given === "always" && (values[0] ?? "") === "") return refuse(`the parameter \`${name}\` is missing`);
    if (given !== "any-times" && values.length > 1) return refuse(`the parameter \`${name}\` is given twice`);
    if (values.some((value) => value.length > longestValue))
      return refuse(`the parameter \`${name}\` is longer than ${longestValue} characters`);
    const stranger = values.find((value) => choices?.includes(value) === false);
    if (stranger !== undefined)
      return refuse(`\`${name}\` is one of ${choices!.join(", ")}, not \`${stranger.slice(0, 100)}\``);
  }
  return undefined;
}

/** The response to an invalid question. */
export const refused = (found: Diagnostic): Problem => ({
  status: 400,
  detail: found.message,
  diagnostics: [found],
});

/** What an answer does not cover, or assumes. */
export const remarks = (diagnostics: readonly Diagnostic[]): JsonValue =>
  diagnosticsJson(diagnostics.filter(affectsAnswers));

/** An answer that is computed for each request is not worth much time to compress it. */
export const quickEffort = 4;

export async function json(request: Request, value: JsonValue): Promise<Response> {
  return new Representation(new TextEncoder().encode(JSON.stringify(value)), {
    type: "application/json",
    cache: "no-store",
    effort: quickEffort,
  }).answer(request);
}
