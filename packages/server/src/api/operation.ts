import type { JsonValue } from "@tierwall/core";
import type { CurrentState } from "../current-state.js";
import { Representation } from "../representation.js";

/** One thing that can be asked over HTTP. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Below /api/v1. */
  readonly path: `/${string}`;
  /** The names of what can stand in its query. */
  readonly parameters: readonly string[];
  readonly answer: (call: Call) => Promise<Response> | Response;
}

export interface Call {
  readonly request: Request;
  /** Holds nothing but parameters of the operation. */
  readonly query: URLSearchParams;
  readonly state: CurrentState;
}

/** What is asked anew each time is not worth much time to pack it. */
const quickEffort = 4;

export async function json(request: Request, value: JsonValue, version?: string): Promise<Response> {
  return new Representation(new TextEncoder().encode(JSON.stringify(value)), {
    type: "application/json",
    ...(version === undefined ? { cache: "no-store" } : { cache: "no-cache", version }),
    effort: quickEffort,
  }).answer(request);
}
