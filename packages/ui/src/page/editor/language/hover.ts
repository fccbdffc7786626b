import type { Path } from "@tierwall/core/manifest";
import { cursorAt } from "./cursor.js";
import { type EditedKind, policyKinds } from "./kinds.js";
import { schemaAt, shapesOf, typeWords } from "./schema-at.js";

export interface Hover {
  readonly from: number;
  readonly to: number;
  /** `spec.ingress[].from`, and what it takes. */
  readonly title: string;
  readonly text: string;
}

/** What the field under the pointer means. */
export function hoverAt(
  text: string,
  offset: number,
  known: readonly EditedKind[] = policyKinds,
): Hover | undefined {
  const [from, to] = wordAround(text, offset);
  const cursor = from === to ? undefined : cursorAt(text, from);
  if (cursor === undefined) return undefined;
  const word = text.slice(from, to);
  const shapes = shapesOf(topOf(text, offset), text, known);
  const field: Path = cursor.at === "node" ? [...cursor.path, word] : cursor.path;
  // A word in a list is no field, and neither is a label.
  const schema = schemaAt(shapes, field) ?? schemaAt(shapes, cursor.path);
  if (schema === undefined || field.length === 0) return undefined;
  return { from, to, title: `${words(field)}: ${typeWords(schema)}`, text: schema.description };
}

/** The kind may be below the word. */
function topOf(text: string, offset: number): ReadonlyMap<string, string> {
  const next = text.slice(offset).search(/^---(\s|$)/m);
  const end = next === -1 ? text.length : offset + next;
  const start = text.lastIndexOf("\n---", offset) + 1;
  return new Map(
    [...text.slice(start, end).matchAll(/^(apiVersion|kind):[ \t]*["']?([^\s"'#]+)/gm)].map(
      ([, key, value]) => [key!, value!],
    ),
  );
}

function wordAround(text: string, offset: number): readonly [from: number, to: number] {
  const before = /[\w./-]*$/.exec(text.slice(0, offset))![0].length;
  const after = /^[\w./-]*/.exec(text.slice(offset))![0].length;
  return [offset - before, offset + after];
}

const words = (path: Path): string =>
  path.map((step, i) => (typeof step === "number" ? "[]" : `${i > 0 ? "." : ""}${step}`)).join("");
