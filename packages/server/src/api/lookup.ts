import { problemResponse } from "../problem.js";
import { json, type Operation, refused } from "./operation.js";

/** The rules that can affect an endpoint: the JSON of `tierwall lookup -o json`. */
export const lookupOperation: Operation = {
  method: "GET",
  path: "/lookup",
  parameters: { of: { given: "always" } },
  answer: async ({ request, query, state: { reading } }) => {
    const { trouble, cluster } = reading;
    if (trouble !== undefined) return problemResponse(trouble);
    const found = cluster.lookup(query.get("of")!);
    return found.ok ? json(request, found.value.json()) : problemResponse(refused(found.diagnostic));
  },
};
