import type { Diagnostic } from "@tierwall/core";
import {
  diagnostic,
  isObject,
  locateProblem,
  type ObjectSchema,
  type ParsedDocument,
  parseManifest,
  validate,
} from "@tierwall/core/manifest";
import type { Argument, Command, Option } from "commander";
import { unreadable, writtenText } from "@tierwall/kube";
import { isSwitch, valueKindOf } from "../input/option-value.js";
import { configSchema, configurable } from "./config-schema.js";

/** tierwall.yaml, read: what each option of a command is to be where the line does not say. */
export interface Config {
  readonly file: string;
  readonly text: string;
  readonly settings: (command: Command, option: Option) => Setting | undefined;
}

/** A switch, or the values that would be typed after the option. */
export interface Setting {
  readonly value: boolean | readonly string[];
  /** What is said where one of the texts is refused. */
  readonly refused: (why: string, index: number) => Diagnostic;
}

export type ReadConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly text: string; readonly diagnostics: readonly Diagnostic[] };

export function readConfig(file: string, program: Command): ReadConfig {
  let text: string;
  try {
    text = writtenText(file);
  } catch (cause) {
    return { ok: false, text: "", diagnostics: [unreadable(file, cause)] };
  }
  const { documents, diagnostics } = parseManifest(text, file);
  const [document, second] = documents;
  if (diagnostics.length > 0) return { ok: false, text, diagnostics };
  if (document === undefined) return { ok: true, config: { file, text, settings: () => undefined } };
  const found = second === undefined ? problemsOf(document, program) : [secondDocument(second)];
  if (found.length > 0) return { ok: false, text, diagnostics: found };
  return { ok: true, config: { file, text, settings: settingsOf(document) } };
}

function secondDocument(second: ParsedDocument): Diagnostic {
  const message = "tierwall.yaml is one document; write all defaults into the first";
  return diagnostic("TW1003", message, { place: second.placeOf([]) });
}

function problemsOf(document: ParsedDocument, program: Command): readonly Diagnostic[] {
  const schema = configSchema(program);
  const { problems } = validate(schema, asTyped(document.value, schema));
  return problems.map((problem) => {
    const { message, ...where } = locateProblem(problem, document, []);
    const [key, ...deeper] = problem.path;
    const owners = deeper.length > 0 || problem.code !== "TW1204" ? [] : commandsWith(program, key);
    const hint = owners.map((command) => `\`${command}: {${key}: …}\``).join(" or ");
    return diagnostic(problem.code, message, {
      ...where,
      ...(hint === "" ? {} : { hint: `It is an option of single commands: write ${hint}.` }),
    });
  });
}

function commandsWith(program: Command, key: string | number | undefined): readonly string[] {
  const having = program.commands.filter((command) =>
    configurable(command).some((option) => option.attributeName() === key),
  );
  return having.map((command) => command.name());
}

/** A single value is read as a list of one, and a number as its digits, as on the command line. */
function asTyped(value: unknown, schema: ObjectSchema): unknown {
  if (!isObject(value)) return value ?? {};
  const typed = Object.entries(value).map(([key, given]) => {
    const inner = schema.fields[key];
    if (inner?.type === "object") return [key, asTyped(given, inner)];
    const texts = Array.isArray(given) ? given.map(asText) : asText(given);
    return [key, inner?.type === "list" && !Array.isArray(texts) && texts !== null ? [texts] : texts];
  });
  return Object.fromEntries(typed) as unknown;
}

const asText = (value: unknown): unknown => (typeof value === "number" ? String(value) : value);

/** A command's own default goes before the common one. */
function settingsOf(document: ParsedDocument): Config["settings"] {
  const common = isObject(document.value) ? document.value : {};
  return (command, option) => {
    const [name, key] = [command.name(), option.attributeName()];
    const section = common[name];
    const own = isObject(section) ? section[key] : undefined;
    const given = own ?? common[key];
    if (given === undefined || given === null || isObject(given)) return undefined;
    const value = typeof given === "boolean" ? given : [given].flat().map(String);
    const isCommon = own === undefined || own === null;
    if (isCommon && !isFor(command, option, value)) return undefined;
    const path = isCommon ? [key] : [name, key];
    return {
      value,
      refused: (why, index) => {
        const place = document.placeOf(Array.isArray(given) ? [...path, index] : path);
        return diagnostic("TW1007", why, { place, path });
      },
    };
  };
}

/** Whether a common default is for this command too, or only for others that have an option of that name. */
function isFor(command: Command, option: Option, value: Setting["value"]): boolean {
  if (typeof value === "boolean") return isSwitch(option);
  if (isSwitch(option)) return false;
  // A command that takes paths on the line, such as `tierwall test PATH`, reads only these: more manifests would change the answer.
  if (option.attributeName() === "filename" && command.registeredArguments.some(isPath)) return false;
  return option.argChoices === undefined || value.every((text) => option.argChoices?.includes(text));
}

const isPath = (argument: Argument): boolean => valueKindOf(argument) === "path";
