import { Argument, type Option } from "commander";

/** What the value of an option or an argument names. */
export type ValueKind = "path" | "endpoint" | "namespace" | "other";

/** Read off its placeholder, `<path>` or `<endpoint>`, or off what help says where the name is another: `<old>`, a file or a folder. */
export function valueKindOf(taker: Option | Argument): ValueKind {
  if (!(taker instanceof Argument))
    return taker.long === "--namespace" ? "namespace" : kindInWords(placeholderOf(taker));
  const kind = kindInWords(taker.name());
  return kind === "other" && /\bfiles?\b|\bfolders?\b/.test(taker.description) ? "path" : kind;
}

function kindInWords(text: string): ValueKind {
  const words = text.toLowerCase().split(/[^a-z]+/);
  const names = (...those: readonly string[]) => words.some((word) => those.includes(word));
  if (names("path", "file", "folder")) return "path";
  if (names("endpoint", "end", "pod", "workload", "party", "source", "destination")) return "endpoint";
  return names("namespace") ? "namespace" : "other";
}

/** `--pod-cidr <cidr>` takes a `cidr`; a switch takes nothing. */
function placeholderOf(option: Option): string {
  return /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1] ?? "";
}

/** Options say so in their help, where users look for it. */
export function isRepeatable(option: Option): boolean {
  return option.variadic || option.description.includes("(repeatable)");
}

/** On or off, with nothing after it. */
export function isSwitch(option: Option): boolean {
  return !option.required && !option.optional;
}
