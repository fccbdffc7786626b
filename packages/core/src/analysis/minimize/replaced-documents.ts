import type { TextSource } from "../../manifest/source.js";
import { writeYaml } from "../../manifest/yaml/write-yaml.js";
import { formatPolicy } from "../../policy/model.js";
import type { PolicyDefinition } from "../../state/state.js";
import type { Minimization } from "./minimize.js";
import { writtenPolicy } from "./written-policies.js";

/** Files with the policies of the result in the place of those of the input, or why they cannot be written. */
export type ReplacedDocuments =
  | { readonly ok: true; readonly changed: readonly TextSource[] }
  | { readonly ok: false; readonly problem: string };

/** Why a policy cannot be written to the file that it is from; undefined if it can. */
export function writingProblems(
  sources: readonly TextSource[],
): (policy: PolicyDefinition) => string | undefined {
  const texts = new Map(sources.map(({ file, text }) => [file, documentsOf(text)]));
  return (policy) =>
    documentOf(policy, texts) === undefined
      ? "it is JSON, an item of a List or from a cluster, which --write does not change"
      : undefined;
}

/** Changes only the documents of policies that changed; everything else in the files stays as it is. */
export function replacedDocuments(
  { changes }: Minimization,
  sources: readonly TextSource[],
): ReplacedDocuments {
  const texts = new Map(sources.map(({ file, text }) => [file, documentsOf(text)]));
  for (const { origins, draft } of changes)
    for (const origin of origins) {
      const document = documentOf(origin, texts);
      if (document === undefined)
        return {
          ok: false,
          problem: `${formatPolicy(origin.policy)} is not a YAML document of a file`,
        };
      document.text =
        draft?.origins[0] === origin
          ? writeYaml([writtenPolicy({ definition: draft.definition, draft })])
          : undefined;
    }
  const changed = sources.flatMap(({ file, text }) => {
    const now = joined(texts.get(file)!);
    return now === text ? [] : [{ file, text: now }];
  });
  return { ok: true, changed };
}

interface DocumentText {
  /** The line that begins it, `---`, with its line break; empty for the first. */
  readonly marker: string;
  readonly firstLine: number;
  readonly lines: number;
  /** Undefined: it was removed. */
  text: string | undefined;
}

/** A line that begins with `---` begins a document, wherever it is. */
function documentsOf(text: string): readonly DocumentText[] {
  const parts = text.split(/^(---[^\n]*\n?)/m);
  let line = 1;
  return parts.flatMap((part, i): readonly DocumentText[] => {
    if (i % 2 === 1) {
      line++;
      return [];
    }
    const lines = part.split("\n").length - 1;
    const found = { marker: parts[i - 1] ?? "", firstLine: line, lines, text: part };
    line += lines;
    return [found];
  });
}

function documentOf(
  { object }: PolicyDefinition,
  texts: ReadonlyMap<string, readonly DocumentText[]>,
): DocumentText | undefined {
  if (object.path.length > 0) return undefined;
  const { file, line } = object.document.placeOf(["kind"]);
  const found = texts
    .get(file)
    ?.find(({ firstLine, lines }) => line >= firstLine && line <= firstLine + lines);
  // What is written next to a marker is part of the document.
  if (found?.text === undefined || !/^(---\s*)?$/.test(found.marker) || isJson(found.text)) return undefined;
  return found;
}

function isJson(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function joined(documents: readonly DocumentText[]): string {
  const left = documents.filter(({ text }) => text !== undefined);
  return left
    .map(({ marker, text }, i) => (i === 0 && documents[0]!.text === undefined ? "" : marker) + text!)
    .join("");
}
