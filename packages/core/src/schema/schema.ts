import { given } from "../diagnostics/given.js";
import type { Path } from "../diagnostics/place.js";
import type { Code } from "../diagnostics/table.js";

/*
 * The shape of an API, written once as data. Types come from it (`Static`), validation (validate.ts), the field
 * reference in docs/, and the CRDs. Every schema has a description, because users read them in all of these.
 */

export type Schema =
  | StringSchema
  | IntegerSchema
  | BooleanSchema
  | IntOrStringSchema
  | ListSchema
  | MapSchema
  | ObjectSchema
  | AnySchema;

interface Described {
  readonly description: string;
  /** As a field of an object, which is optional otherwise. */
  readonly required?: true;
  /** As a field: an explicit null is kept and means something; elsewhere, null means that the field is absent. */
  readonly nullable?: true;
  /** Of a required field: a missing one is an error in a file only; objects from a cluster are read as if it were empty (S5.6). */
  readonly lenient?: true;
}

export interface StringSchema<V extends string = string> extends Described {
  readonly type: "string";
  readonly values?: readonly V[];
  readonly default?: V;
  readonly maxLength?: number;
  readonly format?: Format;
}

/** A rule for strings, with a name that CRDs and the reference can use. */
export interface Format {
  readonly name: string;
  /** What a CRD checks: regular expressions that mean the same in JavaScript and RE2, all of which match. */
  readonly patterns?: readonly string[];
  /** What a CRD checks if patterns are not enough. */
  readonly cel?: CelRule;
  readonly check: (text: string) => readonly Complaint[];
}

/** A check once more, in the expression language of CRDs: API servers reject objects for which it does not hold. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

export interface Complaint {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string;
  /** Not a reason to fail closed: such an object of a cluster is evaluated as it is. */
  readonly readable?: true;
}

export interface IntegerSchema extends Described {
  readonly type: "integer";
  readonly minimum?: number;
  readonly maximum?: number;
  /** Larger values may be allowed one day: from a cluster they are evaluated as they are (S5.1). */
  readonly mayGrow?: true;
}

export interface BooleanSchema extends Described {
  readonly type: "boolean";
  /** Set for booleans that can only be true (`self: true`). */
  readonly only?: true;
}

/** A number in range, or a name. */
export interface IntOrStringSchema extends Described {
  readonly type: "int-or-string";
  /** What is expected, in words: "a port number or a port name". */
  readonly expected: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly format: Format;
}

export interface ListSchema<S extends Schema = Schema> extends Described {
  readonly type: "list";
  readonly items: S;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** A lower limit in CRDs, or the only one: API servers estimate the cost of rules by the longest list. */
  readonly crdMaxItems?: number;
  /** Items must be unique. */
  readonly set?: true;
}

/** Any keys, string values: labels. */
export interface MapSchema extends Described {
  readonly type: "map";
  readonly keys: Format;
  readonly values: Format;
}

export interface ObjectSchema<F extends Fields = Fields> extends Described {
  readonly type: "object";
  /** What it is in a sentence: "a label selector", "a peer". */
  readonly title: string;
  readonly fields: F;
  readonly constraints?: readonly Constraint[];
  /** Has more fields than are described here: an unknown field is reported only if it looks like a misspelled known one. */
  readonly open?: true;
  /** The consequence if a cluster drops an unknown field of it, for the hint. */
  readonly ifDropped?: string;
}

/** Any value: status, and parts of an API that are not read. */
export interface AnySchema extends Described {
  readonly type: "any";
}

export type Fields = Readonly<Record<string, Schema>>;

/** What must hold between the fields of one object. */
export type Constraint =
  | {
      readonly kind: "exactly-one" | "at-least-one" | "at-most-one";
      readonly of: readonly string[];
      readonly code?: Code;
      readonly hint?: string;
    }
  /** `field` requires one of `needs`. */
  | {
      readonly kind: "needs";
      readonly field: string;
      readonly needs: readonly string[];
      readonly code?: Code;
      readonly hint?: string;
    }
  | {
      readonly kind: "custom";
      readonly check: (value: Readonly<Record<string, unknown>>) => readonly Violation[];
      /** For checks that find errors, in kinds that have CRDs here. */
      readonly cel?: CelRule;
      /** Instead of `cel`, below lists that the API does not limit: API servers admit no CEL rule there. */
      readonly anyOf?: readonly Alternative[];
    };

/** One valid combination of fields of an object. */
export interface Alternative {
  readonly required?: readonly string[];
  readonly properties: Readonly<
    Record<
      string,
      { readonly enum?: readonly string[]; readonly minItems?: number; readonly maxItems?: number }
    >
  >;
}

/** A violation of a custom constraint: at which field, relative to the object. */
export interface Violation extends Complaint {
  readonly path: Path;
  readonly at?: "key" | "value";
}

/** Everything wrong with one object, before it is known which file and line that is. */
export interface Problem extends Violation {
  readonly at: "key" | "value";
  /** It would be valid in quotes; only the file shows how it was written (`on`, not true). */
  readonly quote?: true;
}

export const required = <S extends Schema>(schema: S): S & { readonly required: true } => ({
  ...schema,
  required: true,
});
export const lenient = <S extends Schema>(schema: S): S & { readonly required: true } =>
  required({ ...schema, lenient: true });
export const nullable = <S extends Schema>(schema: S): S & { readonly nullable: true } => ({
  ...schema,
  nullable: true,
});

type Options<S> = Omit<S, "type" | "description">;

export const string = (description: string, options: Options<StringSchema> = {}): StringSchema => ({
  type: "string",
  description,
  ...options,
});
export const oneOf = <const V extends string>(
  description: string,
  values: readonly V[],
  defaultValue?: NoInfer<V>,
): StringSchema<V> => ({
  type: "string",
  description,
  values,
  ...given({ default: defaultValue }),
});
export const integer = (description: string, options: Options<IntegerSchema> = {}): IntegerSchema => ({
  type: "integer",
  description,
  ...options,
});
export const boolean = (description: string): BooleanSchema => ({ type: "boolean", description });
export const onlyTrue = (description: string): BooleanSchema => ({ ...boolean(description), only: true });
export const list = <S extends Schema>(
  description: string,
  items: S,
  options: Omit<Options<ListSchema>, "items"> = {},
): ListSchema<S> => ({ type: "list", description, items, ...options });
export const object = <F extends Fields>(
  title: string,
  description: string,
  fields: F,
  constraints: readonly Constraint[] = [],
): ObjectSchema<F> => ({ type: "object", title, description, fields, constraints });
export const any = (description: string): AnySchema => ({ type: "any", description });

/** The TypeScript type of what a schema accepts. */
export type Static<S extends Schema> =
  S extends StringSchema<infer V>
    ? V
    : S extends IntegerSchema
      ? number
      : S extends BooleanSchema
        ? boolean
        : S extends IntOrStringSchema
          ? number | string
          : S extends ListSchema<infer I>
            ? readonly Static<I>[]
            : S extends MapSchema
              ? Readonly<Record<string, string>>
              : S extends ObjectSchema<infer F>
                ? StaticFields<F>
                : unknown;

type StaticFields<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { required: true } ? K : never]: Static<F[K]>;
} & {
  readonly [K in keyof F as F[K] extends { required: true } ? never : K]?:
    | Static<F[K]>
    | (F[K] extends { nullable: true } ? null : never);
};
