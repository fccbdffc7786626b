import type { Json } from "@tierwall/core/manifest";
import { type BundleName, definitionsOf, type OpenApi } from "@tierwall/kube";
import { expect, it } from "vitest";
import { everyField } from "./every-field.js";
import { manifestOf } from "./policy-manifests.js";

const bundles: readonly BundleName[] = ["released", "first-draft", "kep-2091"];

it.each(
  bundles.flatMap((bundle) =>
    definitionsOf(bundle).map(({ spec }) => [`${bundle}: ${spec.names.kind}`, bundle, spec] as const),
  ),
)("%s: no field is left out", (_, bundle, { group, names, versions }) => {
  const policies = everyField.filter(
    (policy) =>
      policy.kind === names.kind &&
      policy.apiVersion === `${group}/${versions[0]!.name}` &&
      manifestOf("", policy)!.isKep === (bundle === "kep-2091"),
  );
  const used = new Set(policies.flatMap((policy) => [...fieldsIn(policy.spec!, "spec")]));
  const { spec } = versions[0]!.schema.openAPIV3Schema.properties;
  expect(fieldsOf(spec, "spec").filter((path) => !used.has(path))).toEqual([]);
});

/** `spec.ingress[].from` */
function fieldsOf({ properties = {}, items }: OpenApi, path: string): readonly string[] {
  if (items !== undefined) return fieldsOf(items, `${path}[]`);
  return Object.entries(properties).flatMap(([name, inner]) => [
    `${path}.${name}`,
    ...fieldsOf(inner, `${path}.${name}`),
  ]);
}

function fieldsIn(value: Json, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => fieldsIn(item, `${path}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}.${name}`,
    ...fieldsIn(inner, `${path}.${name}`),
  ]);
}
