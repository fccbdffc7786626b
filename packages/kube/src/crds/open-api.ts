import type { Alternative } from "@tierwall/core/manifest";

/** The part of OpenAPI v3 that definitions of ours use, in the order in which it is written. */
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

/** A rule in CEL, and what an API server says where it does not hold. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
}
