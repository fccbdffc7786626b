import type { OpenApi } from "./structural.js";

const condition = (about: string, types: string): OpenApi => ({
  description: `One statement about the ${about}, as it was found last.`,
  type: "object",
  required: ["type", "status", "lastTransitionTime", "reason", "message"],
  properties: {
    type: {
      description: `What the statement is about. ${types}`,
      type: "string",
      maxLength: 316,
      pattern: "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
    },
    status: {
      description: "Whether it holds: True, False or Unknown.",
      type: "string",
      enum: ["True", "False", "Unknown"],
    },
    observedGeneration: {
      description: `The \`metadata.generation\` of the ${about} that this is about; an older one is out of date.`,
      type: "integer",
      format: "int64",
      minimum: 0,
    },
    lastTransitionTime: {
      description: "When `status` became what it is.",
      type: "string",
      format: "date-time",
    },
    reason: {
      description: "Why, in one word for programs.",
      type: "string",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    message: {
      description: "Why, in a sentence for people.",
      type: "string",
      maxLength: 32_768,
    },
  },
});

const conditions = (about: string, types: string): OpenApi => ({
  description: `What is known of the ${about}, one statement for each type.`,
  type: "array",
  items: condition(about, types),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
});

/** What is reported of a policy, by Tierwall or by others: each writes conditions of its own type. */
export const policyStatus: OpenApi = {
  description: "The state of the policy, written by the programs that enforce it and not by users.",
  type: "object",
  properties: {
    conditions: conditions(
      "policy",
      "Accepted: the policy is understood. Programmed: the nodes enforce it. Conflicted: another policy of the same priority " +
        "decides some traffic otherwise. Shadowed: earlier rules decide all traffic that some of its rules match.",
    ),
  },
};

export const guaranteeStatus: OpenApi = {
  description: "What the controller found out about the guarantee; written by it, not by users.",
  type: "object",
  properties: {
    conditions: conditions(
      "guarantee",
      "Holds: whether the guarantee holds in every cluster that could exist under the policies of this one.",
    ),
    restsOn: {
      description:
        "Rules that suffice for the guarantee: as long as they are not changed or overridden, it holds. Empty unless it is proven.",
      type: "array",
      items: { description: "A rule of a policy, or the isolation by a policy.", type: "string" },
      "x-kubernetes-list-type": "atomic",
    },
  },
};
