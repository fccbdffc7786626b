import { lookup, parseEndpoint } from "@tierwall/core/analysis";
import { caveatsJson, lookupJson } from "@tierwall/core/report";
import { caveatsOfAll } from "@tierwall/core/state";
import { problemResponse } from "../problem.js";
import { json, type Operation, refused, remarks } from "./operation.js";

/** Which rules have a say about somebody: what `tierwall lookup -o json` says. */
export const lookupOperation: Operation = {
  method: "GET",
  path: "/lookup",
  parameters: { of: { given: "always" } },
  answer: async ({ request, query, state: { reading } }) => {
    const { trouble, state } = reading;
    if (trouble !== undefined) return problemResponse(trouble);
    const endpoint = parseEndpoint(query.get("of")!);
    const found = endpoint.ok ? lookup(state, endpoint.value) : endpoint;
    if (!found.ok) return problemResponse(refused(found.diagnostic));
    return json(request, {
      ...(lookupJson(found.value) as object),
      caveats: caveatsJson(caveatsOfAll(state)),
      remarks: remarks(state.diagnostics),
    });
  },
};
