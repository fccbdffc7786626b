import { caveatsJson, policiesJson } from "@tierwall/core/report";
import { caveatsOfAll } from "@tierwall/core/state";
import { problemResponse } from "../problem.js";
import { json, type Operation, remarks } from "./operation.js";

/** All policies, and their rules in evaluation order. */
export const policiesOperation: Operation = {
  method: "GET",
  path: "/policies",
  parameters: {},
  answer: async ({ request, state: { reading } }) => {
    const { trouble, state } = reading;
    if (trouble !== undefined) return problemResponse(trouble);
    return json(request, {
      ...policiesJson(state),
      caveats: caveatsJson(caveatsOfAll(state)),
      remarks: remarks(state.diagnostics),
    });
  },
};
