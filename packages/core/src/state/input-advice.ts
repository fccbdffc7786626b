import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import type { Source } from "../manifest/source.js";

/* Input that is not a manifest yet, or that is skipped: one message for each, with what to do. */

export function withAdvice(
  diagnostics: readonly Diagnostic[],
  sources: readonly Source[],
  skipped: ReadonlyMap<string, number>,
): readonly Diagnostic[] {
  const advised = diagnostics.map((found) =>
    found.code === "TW3003" ? aboutSkipped(found, sources, skipped) : found,
  );
  return withoutTemplates(aboutCopies(advised), sources);
}

/** Several objects that are there twice are one mistake: a folder with variants of the same objects. */
function aboutCopies(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const copies = diagnostics.filter(({ code }) => code === "TW1102");
  const hint =
    "If the files are variants of the same objects (overlays, environments), read one variant at a time.";
  return copies.length < 2
    ? diagnostics
    : diagnostics.map((found) => (found === copies[0] ? { hint, ...found } : found));
}

function aboutSkipped(
  { message }: Diagnostic,
  sources: readonly Source[],
  skipped: ReadonlyMap<string, number>,
): Diagnostic {
  const kustomization = sources.find(({ file }) => /(^|\/)kustomization\.ya?ml$/.test(file))?.file;
  const folder = kustomization?.replace(/\/?kustomization\.ya?ml$/, "") || ".";
  const hints = [
    ...(kustomization === undefined && !skipped.has("Kustomization")
      ? []
      : [
          `${kustomization === undefined ? "A kustomization" : `\`${kustomization}\``} is not applied, and its files are read as they are. Render it first: ` +
            `\`kubectl kustomize ${folder} | tierwall validate -f -\`.`,
        ]),
    ...(skipped.has("Secret") ? ["Secrets are neither used nor shown."] : []),
  ];
  return diagnostic("TW3003", message, hints.length === 0 ? {} : { hint: hints.join(" ") });
}

/** One message for all templates: their other errors have the same cause. */
function withoutTemplates(
  diagnostics: readonly Diagnostic[],
  sources: readonly Source[],
): readonly Diagnostic[] {
  const errors = diagnostics.filter(({ severity, place }) => severity === "error" && place !== undefined);
  if (errors.length === 0) return diagnostics;
  const inError = new Set(errors.map(({ place }) => place!.file));
  const templates = sources.filter(
    (source) => inError.has(source.file) && "text" in source && isTemplate(source.text, errors, source.file),
  );
  const [first] = templates;
  if (first === undefined) return diagnostics;
  const files = new Set(templates.map(({ file }) => file));
  const isOfTemplate = ({ place }: Diagnostic) => place !== undefined && files.has(place.file);
  const others = templates.length - 1;
  const rest =
    others === 0 ? "" : `, and so ${others === 1 ? "is 1 other file" : `are ${others} other files`}`;
  const message = `this is a Helm template, not a manifest${rest}; render it first`;
  const hint = "`helm template NAME CHART | tierwall validate -f -` checks what Helm would apply.";
  const { place } = errors.find(isOfTemplate)!;
  const before = diagnostics.slice(0, diagnostics.findIndex(isOfTemplate));
  const after = diagnostics.slice(before.length).filter((found) => !isOfTemplate(found));
  return [...before, diagnostic("TW1001", message, { place, hint }), ...after];
}

/** A text with Go template actions where YAML has none, at a place that has an error. */
function isTemplate(text: string, errors: readonly Diagnostic[], file: string): boolean {
  if (!/^\s*\{\{-?\s|[:-]\s+\{\{-?\s*[.\w$]/m.test(text)) return false;
  const lines = text.split("\n");
  return errors.some(
    ({ code, place }) =>
      place!.file === file && (code === "TW1001" || (lines[place!.line - 1] ?? "").includes("{{")),
  );
}
