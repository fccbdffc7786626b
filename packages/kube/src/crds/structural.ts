import type { Alternative, Constraint, Format, ObjectSchema, Schema } from "@tierwall/core/manifest";

/** The part of OpenAPI v3 that our definitions use, in the order in which it is written. */
export interface OpenApi {
  readonly description: string;
  readonly type?: "object" | "array" | "string" | "integer" | "boolean";
  readonly format?: "int32" | "int64" | "date-time";
  readonly nullable?: true;
  readonly default?: string;
  readonly enum?: readonly (string | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly allOf?: readonly { readonly pattern: string }[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: OpenApi;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Partial<Alternative>[];
  readonly properties?: Readonly<Record<string, OpenApi>>;
  readonly additionalProperties?: OpenApi;
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A rule in CEL, and the message of API servers where it does not hold. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
}

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
        // Each of these applies to values of its own type only.
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
        // Rules and peers have no names to merge them by: a client that applies a list applies all of it.
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
      throw new Error(`a CRD describes every field, and this one has no known type: ${description}`);
  }
}

function structuralObject(schema: ObjectSchema): OpenApi {
  const fields = Object.entries(schema.fields);
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  const properties = fields.map(([name, field]) => {
    const property = structural(field);
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

/** What must hold between the fields of an object, in CEL; checks that only warn have no rule. */
export function validationRules({ title, constraints = [] }: ObjectSchema): readonly ValidationRule[] {
  return constraints.flatMap((constraint) => ruleOf(constraint, title) ?? []);
}

function ruleOf(constraint: Constraint, title: string): ValidationRule | undefined {
  switch (constraint.kind) {
    case "exactly-one":
      return {
        rule: `${howMany(constraint.of)} == 1`,
        message: `${title} needs exactly one of ${listed(constraint.of, "and")}`,
      };
    case "at-least-one":
      return {
        rule: constraint.of.map(isSet).join(" || "),
        message: `${title} needs at least one of ${listed(constraint.of, "and")}`,
      };
    case "at-most-one":
      return {
        rule: `${howMany(constraint.of)} <= 1`,
        message: `${listed(constraint.of, "and")} are mutually exclusive in ${title}`,
      };
    case "needs":
      return {
        rule: `!${isSet(constraint.field)} || ${constraint.needs.map(isSet).join(" || ")}`,
        message: `\`${constraint.field}\` requires ${listed(constraint.needs, "or")}`,
      };
    case "custom":
      return constraint.cel;
  }
}

const isSet = (field: string): string => `has(self.${field})`;

const howMany = (fields: readonly string[]): string =>
  fields.map((field) => `(${isSet(field)} ? 1 : 0)`).join(" + ");

function listed(fields: readonly string[], word: "and" | "or"): string {
  const quoted = fields.map((field) => `\`${field}\``);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} ${word} ${quoted.at(-1)}`;
}
