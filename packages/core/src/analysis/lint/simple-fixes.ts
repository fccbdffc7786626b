import { visible } from "../../diagnostics/visible.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { Path, Place } from "../../diagnostics/place.js";
import { isObject, type Json, valueAt } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import { formatCidr, parseCidr } from "../../net/cidr.js";
import { formatPolicy } from "../../policy/model.js";
import type { WrittenPolicy } from "../../state/state.js";
import type { TextEdit, Finding, Fix } from "./finding.js";

/** Adds to the diagnostics of `tierwall validate` how to fix them, if one change of a text is enough. */
export function withFixes(
  found: readonly Diagnostic[],
  written: readonly WrittenPolicy[],
): readonly Finding[] {
  if (!found.some(({ code }) => code in fixers)) return found;
  const objects = new Map(
    written.map(({ policy, object }) => [`${object.document.file} ${formatPolicy(policy)}`, object]),
  );
  return found.map((one) => {
    const { code, place, path, object: name } = one;
    const object = objects.get(`${place?.file} ${name}`);
    if (place === undefined || path === undefined || object === undefined) return one;
    const fix = fixers[code]?.(object, path, place);
    return fix === undefined ? one : { ...one, fix };
  });
}

type Fixer = (object: ManifestObject, path: Path, place: Place) => Fix | undefined;

const fixers: Partial<Record<Diagnostic["code"], Fixer>> = {
  TW2001: networkAddress,
  TW2009: anotherName,
  TW1419: oneLevelUp,
};

function networkAddress({ value }: ManifestObject, path: Path, place: Place): Fix | undefined {
  const text = valueAt(value, path);
  const cidr = typeof text === "string" ? parseCidr(text) : undefined;
  if (typeof text !== "string" || cidr === undefined) return undefined;
  const put = formatCidr(cidr);
  // Next to the same network it would be a duplicate, which the APIs refuse.
  const siblings = valueAt(value, path.slice(0, -1));
  return Array.isArray(siblings) && siblings.includes(put) ? undefined : rewritten(text, put, place);
}

/** The inner selector in place of the outer one, if there is nothing else in that. */
function oneLevelUp(
  { value, document, path: root }: ManifestObject,
  path: Path,
  key: Place,
): Fix | undefined {
  const outer = valueAt(value, path.slice(0, -1));
  if (!isObject(outer) || Object.keys(outer).length !== 1) return undefined;
  const title = "take out `namespaceSelector`, and keep what is inside";
  const inner = document.placeOf([...root, ...path]);
  // What is below it is indented deeper, and may stay so.
  if (inner.line > key.line)
    return { title, edits: [{ kind: "delete-lines", file: key.file, first: key.line, last: key.line }] };
  const around = document.placeOf([...root, ...path.slice(0, -1)]);
  const cut = (from: number, to: number): TextEdit => ({
    kind: "replace",
    place: { ...key, column: from, length: to - from },
    text: "",
  });
  if (around.line !== key.line || around.column === key.column)
    return { title, edits: [cut(key.column, inner.column)] };
  const [end, endAround] = [inner.column + inner.length, around.column + around.length];
  // In braces; where they are closed on another line, it is not known here.
  return end < endAround
    ? { title, edits: [cut(around.column, inner.column), cut(end, endAround)] }
    : undefined;
}

function anotherName({ value }: ManifestObject, path: Path, place: Place): Fix | undefined {
  const name = valueAt(value, path);
  const spec = valueAt(value, path.slice(0, -3));
  if (typeof name !== "string" || !isObject(spec)) return undefined;
  const taken = new Set([spec.ingress, spec.egress].flatMap(namesIn));
  let number = 2;
  while (taken.has(`${name}-${number}`)) number++;
  return rewritten(name, `${name}-${number}`, place);
}

function namesIn(rules: Json | undefined): readonly Json[] {
  return Array.isArray(rules) ? rules.flatMap((rule: Json) => (isObject(rule) ? [rule.name ?? ""] : [])) : [];
}

/** A single value in place of another, with the quotes that it has. */
function rewritten(text: string, put: string, place: Place): Fix | undefined {
  const quotes = (place.length - text.length) / 2;
  if (quotes !== 0 && quotes !== 1) return undefined;
  const inside = { ...place, column: place.column + quotes, length: text.length };
  return { title: `write \`${visible(put)}\``, edits: [{ kind: "replace", place: inside, text: put }] };
}
