import { json, type Operation } from "./operation.js";

/** What is wrong, or probably not meant: what `tierwall lint -o json` says; of a state with errors, the errors. */
export const lintOperation: Operation = {
  method: "GET",
  path: "/lint",
  parameters: {},
  answer: async ({ request, state: { reading } }) => json(request, reading.cluster.lint().json()),
};
