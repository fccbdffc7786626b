import {
  boolean,
  type Fields,
  list,
  object,
  type ObjectSchema,
  oneOf,
  type Schema,
  string,
} from "@tierwall/core/manifest";
import type { Command, Option } from "commander";
import { isRepeatable, isSwitch } from "../input/option-value.js";

/** Options of a command that can have a default in tierwall.yaml: all that help shows. */
export function configurable(command: Command): readonly Option[] {
  const visible = command.options.filter((option) => !option.hidden);
  const switches = new Set(
    visible.filter((option) => !option.negate).map((option) => option.attributeName()),
  );
  return visible.filter((option) => !option.negate || !switches.has(option.attributeName()));
}

/**
 * What tierwall.yaml may say, made from the commands there are: a field for each option that several of them share, and
 * an object for each command with all that it has.
 */
export function configSchema(program: Command): ObjectSchema {
  const common = sharedFields(commandsOf(program));
  return wholeSchema(common, program, ownFields);
}

/** The same for readers: what a command shares with others, in the same words, is described once. */
export function documentedSchema(program: Command): ObjectSchema {
  const common = sharedFields(commandsOf(program));
  const isCommon = (name: string, field: Fields[string]) =>
    JSON.stringify(common[name]) === JSON.stringify(field);
  return wholeSchema(common, program, (command) =>
    Object.fromEntries(Object.entries(ownFields(command)).filter(([name, field]) => !isCommon(name, field))),
  );
}

const commandsOf = (program: Command) =>
  program.commands.filter((command) => configurable(command).length > 0);

function wholeSchema(common: Fields, program: Command, fieldsOf: (command: Command) => Fields): ObjectSchema {
  const own = commandsOf(program).map((command) => {
    const name = command.name();
    const description = `For \`tierwall ${name}\` alone: these, and all of the common ones, before which they go.`;
    return [name, closed(`the defaults of ${name}`, description, fieldsOf(command))] as const;
  });
  const description = "Defaults for the options of every command that has them, and of single commands.";
  return closed("tierwall.yaml", description, { ...common, ...Object.fromEntries(own) });
}

const ownFields = (command: Command): Fields =>
  Object.fromEntries(configurable(command).map((option) => [option.attributeName(), schemaOf(option)]));

/** Nothing here goes to a cluster. */
const closed = (title: string, description: string, fields: Fields): ObjectSchema => ({
  ...object(title, description, fields),
  ifDropped: "Left as it is, it would have no effect.",
});

/** An option that two commands have in different forms, a switch and a text, has no common default. */
function sharedFields(commands: readonly Command[]): Fields {
  const byName = new Map<string, Option[]>();
  for (const option of commands.flatMap(configurable))
    byName.set(option.attributeName(), [...(byName.get(option.attributeName()) ?? []), option]);
  const shared = [...byName].filter(
    ([, options]) => options.length > 1 && new Set(options.map(formOf)).size === 1,
  );
  return Object.fromEntries(shared.map(([name, options]) => [name, sharedSchema(options)]));
}

const formOf = (option: Option): string =>
  isSwitch(option) ? "switch" : `${isRepeatable(option)} ${option.argChoices !== undefined}`;

/** What any of them takes; a command that does not take it keeps its own default. */
function sharedSchema(options: readonly Option[]): Schema {
  const [first] = options as [Option];
  if (first.argChoices === undefined) return schemaOf(first);
  const choices = [...new Set(options.flatMap((option) => option.argChoices ?? []))];
  const same = options.every((option) => option.argChoices?.length === choices.length);
  const description = same
    ? sentence(first.description)
    : `${sentence(first.description)} Commands that do not know it keep their default.`;
  return oneOf(description, choices);
}

function schemaOf(option: Option): Schema {
  const description = sentence(option.description.replace(" (repeatable)", ""));
  if (isSwitch(option)) return boolean(description);
  const value = option.argChoices === undefined ? string(description) : oneOf(description, option.argChoices);
  return isRepeatable(option) ? list(description, value) : value;
}

const sentence = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`;
