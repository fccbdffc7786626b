import { apiVersionsOf, dialects, type Schema } from "@tierwall/core/manifest";

/** A kind that can be edited: how it is written. */
export interface EditedKind {
  readonly kind: string;
  readonly apiVersions: readonly string[];
  readonly description: string;
  /** The shapes that it may have; the likeliest first. */
  readonly shapes: readonly Schema[];
  /** S4.4: the AdminNetworkPolicy of KEP-2091, which shares its name with another API. */
  readonly isKep: boolean;
}

/** What a text is about: which kinds are offered in it. */
export type EditedKinds = "policies" | "guarantees";

export const policyKinds: readonly EditedKind[] = dialects.map((known) => ({
  kind: known.kind,
  apiVersions: apiVersionsOf(known),
  description: known.spellings[0].schema.description,
  shapes: known.spellings.map(({ schema }) => schema),
  isKep: known.dialect === "kep-2091",
}));

/** The schema is a part of the prover, which is loaded when it is first needed. */
export const guaranteeKinds = (
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  schema: Schema,
): readonly EditedKind[] => [
  {
    kind,
    apiVersions: [apiVersion],
    description: schema.description,
    shapes: [withSingleEndpoints(schema), schema],
    isKep: false,
  },
];

/** `from` and `to` take a list, or one endpoint without a list. */
function withSingleEndpoints(schema: Schema): Schema {
  if (schema.type !== "object") return schema;
  const spec = schema.fields["spec"];
  if (spec?.type !== "object") return schema;
  const { from, to } = spec.fields;
  const single = (field: Schema | undefined) =>
    field?.type === "list"
      ? {
          ...field.items,
          ...(field.required ? { required: true as const } : {}),
          description: field.description,
        }
      : field!;
  const fields = { ...spec.fields, from: single(from), to: single(to) };
  return { ...schema, fields: { ...schema.fields, spec: { ...spec, fields } } };
}
