import { json, type Operation } from "./operation.js";

/** Mistakes, and what is probably not intended: the JSON of `tierwall lint -o json`; of a state with errors, the errors. */
export const lintOperation: Operation = {
  method: "GET",
  path: "/lint",
  parameters: {},
  answer: async ({ request, state: { reading } }) => json(request, reading.cluster.lint().json()),
};
