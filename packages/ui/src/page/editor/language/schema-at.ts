import type { Path, Schema } from "@tierwall/core/manifest";
import type { EditedKind } from "./kinds.js";

/** The kinds that a document may be of, by what is at its top so far. */
export function kindsOf(
  top: ReadonlyMap<string, string>,
  known: readonly EditedKind[],
): readonly EditedKind[] {
  const [apiVersion, kind] = [top.get("apiVersion"), top.get("kind")];
  return known.filter(
    (each) =>
      (kind === undefined || kind === "" || each.kind === kind) &&
      (apiVersion === undefined || apiVersion === "" || each.apiVersions.includes(apiVersion)),
  );
}

/** S4.4: two APIs share the name AdminNetworkPolicy, and only the shape of the subject distinguishes them. */
const kepSubject = /^\s*subject:\s*\{?\s*(namespaceSelector|namespaceAndPodSelector)\b/m;

/** The shapes of a document whose kind is known; the likeliest first. */
export function shapesOf(
  top: ReadonlyMap<string, string>,
  text: string,
  known: readonly EditedKind[],
): readonly Schema[] {
  if (!top.has("kind")) return [];
  const isKep = kepSubject.test(text);
  const likely = kindsOf(top, known).toSorted(
    (a, b) => Number(b.isKep === isKep) - Number(a.isKep === isKep),
  );
  return likely.flatMap(({ shapes }) => shapes);
}

/** What the first shape says that has something at this path. */
export function schemaAt(shapes: readonly Schema[], path: Path): Schema | undefined {
  for (const shape of shapes) {
    const found = path.reduce<Schema | undefined>((schema, step) => schema && stepInto(schema, step), shape);
    if (found !== undefined) return found;
  }
  return undefined;
}

function stepInto(schema: Schema, step: string | number): Schema | undefined {
  switch (schema.type) {
    case "object":
      return typeof step === "string" && Object.hasOwn(schema.fields, step) ? schema.fields[step] : undefined;
    case "list":
      return typeof step === "number" ? schema.items : undefined;
    case "map":
      return { type: "string", description: "The value that the label must have." };
    case "any":
    case "boolean":
    case "int-or-string":
    case "integer":
    case "string":
      return undefined;
  }
}

/** What a field takes, in a word or two. */
export function typeWords(schema: Schema): string {
  switch (schema.type) {
    case "any":
      return "anything";
    case "boolean":
      return schema.only ? "true" : "true or false";
    case "integer":
      return schema.maximum === undefined
        ? "number"
        : `number, ${(schema.minimum ?? 0).toLocaleString("en")} to ${schema.maximum.toLocaleString("en")}`;
    case "int-or-string":
      return "number or name";
    case "list":
      return "list";
    case "map":
      return "labels";
    case "object":
      return "object";
    case "string":
      return schema.values === undefined ? (schema.format?.name ?? "text") : schema.values.join(" | ");
  }
}
