import { setImmediate } from "node:timers/promises";
import type { Diagnostic, JsonValue } from "@tierwall/core";
import { type GuaranteeResult, proofsJson, Prover, readGuarantees, runGuarantee } from "@tierwall/core/prove";
import { diagnosticsJson } from "@tierwall/core/report";
import { problemResponse } from "../problem.js";
import type { Reading } from "../reading.js";
import { json, type Operation } from "./operation.js";

/** Milliseconds for one guarantee, and for all of them: solving occupies the server. */
export const proofLimits = { each: 1000, all: 10_000 };

/**
 * Whether the guarantees among the manifests hold in every cluster: the JSON of `tierwall prove -o json`. They are decided once for each
 * state, and one state at a time, however many clients ask; other requests are answered between two guarantees.
 */
export function guaranteesOperation(limits = proofLimits): Operation {
  const known = new WeakMap<Reading, Promise<JsonValue>>();
  let last: Promise<unknown> = Promise.resolve();
  const proofsOf = (reading: Reading): Promise<JsonValue> => {
    const found = known.get(reading);
    if (found !== undefined) return found;
    const made = last.then(() => prove(reading, limits));
    last = made.catch(() => undefined);
    known.set(reading, made);
    return made;
  };
  return {
    method: "GET",
    path: "/guarantees",
    parameters: {},
    answer: async ({ request, state: { reading } }) => {
      if (reading.trouble !== undefined) return problemResponse(reading.trouble);
      return json(request, await proofsOf(reading));
    },
  };
}

async function prove({ state, sources }: Reading, limits: typeof proofLimits): Promise<JsonValue> {
  const read = sources.map(({ text, file }) => readGuarantees(text, file));
  const diagnostics: readonly Diagnostic[] = read.flatMap((each) => each.diagnostics);
  const prover = new Prover(state);
  const end = Date.now() + limits.all;
  const results: GuaranteeResult[] = [];
  for (const guarantee of read.flatMap(({ guarantees }) => guarantees)) {
    await setImmediate();
    const deadline = Math.min(end, Date.now() + limits.each);
    results.push(runGuarantee(prover, state, guarantee, { deadline }));
  }
  return { ...(proofsJson(results) as object), remarks: diagnosticsJson(diagnostics) };
}
