import type { Option } from "commander";

/** What the value of an option or an argument names, read off its placeholder: `<path>`, `<endpoint>`. */
export type ValueKind = "path" | "endpoint" | "namespace" | "other";

export function valueKind(placeholder: string): ValueKind {
  const words = placeholder.toLowerCase().split(/[^a-z]+/);
  const names = (...those: readonly string[]) => words.some((word) => those.includes(word));
  if (names("path", "file", "folder")) return "path";
  if (names("endpoint", "end", "pod", "workload", "party")) return "endpoint";
  return names("namespace") ? "namespace" : "other";
}

export function valueKindOf(option: Option): ValueKind {
  return option.long === "--namespace" ? "namespace" : valueKind(placeholderOf(option));
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
