import type { Grain, UndecidedPorts } from "@tierwall/core";
import { problemResponse } from "../problem.js";
import { jsonLines } from "./json-lines.js";
import { grainParameter, type Operation, refused } from "./operation.js";

/** All allowed connections: the JSON of `tierwall matrix -o json`. */
export const matrixOperation: Operation = {
  method: "GET",
  path: "/matrix",
  parameters: {
    by: grainParameter,
    from: { given: "any-times" },
    to: { given: "any-times" },
    namespace: { given: "any-times" },
    selector: { given: "at-most-once" },
    port: { given: "any-times" },
    undecided: { given: "at-most-once", choices: ["show", "allow", "deny"] },
    denied: { given: "at-most-once", choices: ["true", "false"] },
  },
  answer: ({ request, query, state: { reading } }) => {
    if (reading.trouble !== undefined) return problemResponse(reading.trouble);
    const selector = query.get("selector") ?? undefined;
    const made = reading.cluster.matrix({
      by: (query.get("by") ?? "workload") as Grain,
      from: query.getAll("from"),
      to: query.getAll("to"),
      namespaces: query.getAll("namespace"),
      ...(selector === undefined ? {} : { selector }),
      ports: query.getAll("port"),
      undecided: (query.get("undecided") ?? "show") as UndecidedPorts,
    });
    if (!made.ok) return problemResponse(refused(made.diagnostic));
    return jsonLines(request, made.value.lines("json", { denied: query.get("denied") === "true" }));
  },
};
