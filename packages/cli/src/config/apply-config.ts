import { dirname, relative, resolve } from "node:path";
import type { Diagnostic } from "@tierwall/core";
import { type Command, InvalidArgumentError, type Option } from "commander";
import { valueKindOf } from "../input/option-value.js";
import type { Config, Setting } from "./config.js";
import { configurable } from "./config-schema.js";

/** Gives the options of a command, before its line is parsed, the values of tierwall.yaml. What the line says replaces them. */
export function applyConfig(command: Command, config: Config): readonly Diagnostic[] {
  return configurable(command).flatMap((option) => {
    const setting = config.settings(command, option);
    return setting === undefined ? [] : applySetting(command, option, setting, dirname(config.file));
  });
}

function applySetting(
  command: Command,
  option: Option,
  { value, refused }: Setting,
  folder: string,
): readonly Diagnostic[] {
  const key = option.attributeName();
  if (typeof value === "boolean") {
    command.setOptionValueWithSource(key, value, "config");
    return [];
  }
  const texts = pathsFrom(folder, option, value);
  let given: unknown = option.defaultValue;
  for (const [i, text] of texts.entries())
    try {
      given = parse(option, text, given);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      return [refused(`\`${key}\` cannot be this: ${error.message}`, i)];
    }
  command.setOptionValueWithSource(key, given, "config");
  replaceFromLine(option, given);
  return [];
}

/** Paths in tierwall.yaml are relative to it. */
export function pathsFrom(folder: string, option: Option, values: readonly string[]): readonly string[] {
  if (valueKindOf(option) !== "path") return values;
  return values.map((path) => (path === "-" ? path : relative("", resolve(folder, path)) || "."));
}

function parse(option: Option, text: string, previous: unknown): unknown {
  const { parseArg = option.variadic ? collect : undefined } = option as { parseArg?: ParseArg };
  return parseArg === undefined ? text : parseArg(text, previous);
}

/** An option that collects would add what the line says to what the file says. */
function replaceFromLine(option: Option, given: unknown): void {
  if (typeof given !== "object") return;
  const { parseArg = collect, defaultValue } = option as { parseArg?: ParseArg; defaultValue?: unknown };
  option.argParser((text: string, previous: unknown) =>
    parseArg(text, previous === given ? defaultValue : previous),
  );
}

type ParseArg = (text: string, previous: unknown) => unknown;

/** What commander does for `<value...>`. */
const collect: ParseArg = (text, previous) => [
  ...(Array.isArray(previous) ? (previous as readonly unknown[]) : []),
  text,
];
