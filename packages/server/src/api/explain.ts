import { problemResponse } from "../problem.js";
import { json, type Operation, refused } from "./operation.js";

/** Why a connection is allowed or denied: the JSON of `tierwall explain -o json`. */
export const explainOperation: Operation = {
  method: "GET",
  path: "/explain",
  parameters: { from: { given: "always" }, to: { given: "always" }, port: { given: "at-most-once" } },
  answer: async ({ request, query, state: { reading } }) => {
    const { trouble, cluster } = reading;
    if (trouble !== undefined) return problemResponse(trouble);
    const explained = cluster.explain(query.get("from")!, query.get("to")!, query.get("port") ?? undefined);
    return explained.ok
      ? json(request, explained.value.json())
      : problemResponse(refused(explained.diagnostic));
  },
};
