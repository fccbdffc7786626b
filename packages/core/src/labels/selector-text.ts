import type { LabelMatch, Requirement } from "./requirement.js";

/** A selector as kubectl takes it: `app=web,tier!=db`, `env in (dev, test)`, `!legacy`. Undefined for anything else. */
export function parseSelector(text: string): LabelMatch | undefined {
  const requirements = splitOutsideParentheses(text).map((part) => parseRequirement(part.trim()));
  return requirements.every((requirement) => requirement !== undefined) ? requirements : undefined;
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/);
}

const key = "([A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)";
const value = "((?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?)";
const forms: readonly (readonly [RegExp, Requirement["operator"]])[] = [
  [new RegExp(`^${key}$`), "Exists"],
  [new RegExp(`^!\\s*${key}$`), "DoesNotExist"],
  [new RegExp(`^${key}\\s*==?\\s*${value}$`), "In"],
  [new RegExp(`^${key}\\s*!=\\s*${value}$`), "NotIn"],
  [new RegExp(`^${key}\\s+in\\s*\\(([^()]*)\\)$`), "In"],
  [new RegExp(`^${key}\\s+notin\\s*\\(([^()]*)\\)$`), "NotIn"],
];

function parseRequirement(text: string): Requirement | undefined {
  for (const [form, operator] of forms) {
    const [, found, values] = form.exec(text) ?? [];
    if (found === undefined) continue;
    const list = values === undefined ? [] : values.split(",").map((one) => one.trim());
    const isValid = list.every((one) => new RegExp(`^${value}$`).test(one));
    return isValid ? { key: found, operator, values: list } : undefined;
  }
  return undefined;
}
