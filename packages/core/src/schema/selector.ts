import { labelKey, labelValue } from "./formats.js";
import { type Violation, list, type MapSchema, object, oneOf, required, string } from "./schema.js";

const operators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

export const labels = (description: string): MapSchema => ({
  type: "map",
  description,
  keys: labelKey,
  values: labelValue,
});

const requirement = object(
  "a selector requirement",
  "One condition on a label.",
  {
    key: required(string("The label key.", { format: labelKey })),
    operator: required(
      oneOf(
        "How the label is compared: In, NotIn, Exists or DoesNotExist. NotIn and DoesNotExist also match if the label is absent.",
        operators,
      ),
    ),
    values: list(
      "The values to compare with; required for In and NotIn, not allowed for Exists and DoesNotExist.",
      string("A label value.", { format: labelValue }),
    ),
  },
  [
    {
      kind: "custom",
      check: checkValues,
      anyOf: [
        {
          required: ["values"],
          properties: { operator: { enum: ["In", "NotIn"] }, values: { minItems: 1 } },
        },
        { properties: { operator: { enum: ["Exists", "DoesNotExist"] }, values: { maxItems: 0 } } },
      ],
    },
  ],
);

/** Kubernetes' own label selector: `{}` selects everything, all conditions must hold (S1.10). */
export const labelSelector = (description: string) => ({
  ...object("a label selector", description, {
    matchLabels: labels("Labels that must all be present with these values."),
    matchExpressions: list("Conditions that must all hold.", requirement),
  }),
  ifDropped:
    "Labels belong under `matchLabels`. Otherwise, a cluster drops the field, and the selector selects more than intended.",
});

function checkValues(value: Readonly<Record<string, unknown>>): readonly Violation[] {
  const { operator, values } = value;
  const given = Array.isArray(values) ? values.length : 0;
  const takesValues = operator === "In" || operator === "NotIn";
  if (typeof operator !== "string" || takesValues === given > 0) return [];
  return takesValues
    ? [{ code: "TW1303", path: [], message: `\`${operator}\` requires at least one of \`values\`` }]
    : [{ code: "TW1303", path: ["values"], message: `\`${operator}\` does not accept \`values\`` }];
}
