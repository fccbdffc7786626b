import type { Format, ObjectSchema, Schema } from "@tierwall/core/manifest";
import type { OpenApi } from "./open-api.js";
import { validationRules } from "./validation-rules.js";

/** The structural schema of a shape: refuses what our own validation calls an error in a file. */
export function structural(schema: Schema): OpenApi {
  const { description } = schema;
  switch (schema.type) {
    case "string":
      return {
        description,
        type: "string",
        ...given({ default: schema.default, enum: schema.values, maxLength: schema.maxLength }),
        ...formatRules(schema.format),
      };
    case "integer":
      return {
        description,
        type: "integer",
        format: "int32",
        ...given({ minimum: schema.minimum, maximum: schema.maximum }),
      };
    case "boolean":
      return { description, type: "boolean", ...(schema.only ? { enum: [true] } : {}) };
    case "int-or-string":
      return {
        description,
        // Each of these looks at values of its own type only.
        minimum: schema.minimum,
        maximum: schema.maximum,
        ...formatRules(schema.format),
        "x-kubernetes-int-or-string": true,
      };
    case "list":
      return {
        description,
        type: "array",
        ...given({ minItems: schema.minItems, maxItems: schema.crdMaxItems ?? schema.maxItems }),
        items: structural(schema.items),
        // Rules and peers have no names to merge them by: who applies a list applies all of it.
        "x-kubernetes-list-type": schema.set ? "set" : "atomic",
      };
    case "map":
      // Schemas cannot describe the keys of a map, and CEL can only where its size is limited: that is left to the webhook.
      return {
        description,
        type: "object",
        additionalProperties: {
          description: "The value of the label.",
          type: "string",
          // S10.5: an API server would drop a label without a value, and the selector would select more.
          nullable: true,
          ...formatRules(schema.values),
        },
      };
    case "object":
      return structuralObject(schema);
    case "any":
      throw new Error(`a CRD describes every field, and nothing is known of this one: ${description}`);
  }
}

function structuralObject(schema: ObjectSchema): OpenApi {
  const fields = Object.entries(schema.fields);
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  const properties = fields.map(([name, field]) => {
    const property = structural(field.schema);
    return [name, field.nullable ? { ...property, nullable: true as const } : property] as const;
  });
  const rules = validationRules(schema);
  return {
    description: schema.description,
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(properties),
    ...given({ anyOf: alternatives(schema) }),
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
  };
}

function alternatives({ constraints = [] }: ObjectSchema): OpenApi["anyOf"] {
  return constraints.flatMap((one) => (one.kind === "custom" && one.anyOf ? [one.anyOf] : [])).at(0);
}

function formatRules(format: Format | undefined): Partial<OpenApi> {
  const [first, ...others] = format?.patterns ?? [];
  return {
    ...(first === undefined ? {} : { pattern: first }),
    ...(others.length === 0 ? {} : { allOf: others.map((pattern) => ({ pattern })) }),
    ...(format?.cel === undefined ? {} : { "x-kubernetes-validations": [format.cel] }),
  };
}

/** Those that are set. */
function given<T extends Partial<OpenApi>>(
  options: {
    readonly [K in keyof T]: T[K] | undefined;
  },
): Partial<OpenApi> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
