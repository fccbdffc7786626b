import type { Command } from "commander";
import { version } from "../version.js";

/** A manual page of section 1, and the name of its file. */
export interface ManPage {
  readonly file: string;
  readonly text: string;
}

/** The manual pages of a program and its commands, made from what `--help` prints. */
export function manPagesOf(program: Command): readonly ManPage[] {
  const commands = program.commands.filter((command) => !command.name().startsWith("__"));
  const names = commands.map((command) => `${program.name()}-${command.name()}`);
  return [
    { file: `${program.name()}.1`, text: manPage(program, program.name(), names) },
    ...commands.map((command, i) => ({
      file: `${names[i]!}.1`,
      text: manPage(command, names[i]!, [program.name()]),
    })),
  ];
}

function manPage(command: Command, name: string, seeAlso: readonly string[]): string {
  const { sections, notes, examples, exitStatus } = afterHelp(command);
  const summary = command.summary() === "" ? command.description() : command.summary();
  return [
    `.TH ${name.toUpperCase().replaceAll("-", String.raw`\-`)} 1 "" "tierwall ${version}" "Tierwall Manual"`,
    ".SH NAME",
    `${escaped(name)} \\- ${escaped(summary.replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    `.B ${escaped(name.replace("-", " "))}`,
    escaped(command.usage()),
    ".SH DESCRIPTION",
    paragraphs(command.description()),
    ...terms(command),
    ...sections,
    ...(exitStatus === "" ? [] : [".SH EXIT STATUS", escaped(exitStatus)]),
    ...(notes.length === 0 ? [] : [".SH NOTES", notes.map(escaped).join("\n.PP\n")]),
    ...examples,
    ".SH SEE ALSO",
    seeAlso.map((page) => `.BR ${escaped(page)} (1)`).join(" ,\n"),
    "",
  ].join("\n");
}

/** Arguments, options and commands, in the words of `--help`. */
function terms(command: Command): readonly string[] {
  const help = Object.assign(command.createHelp(), { showGlobalOptions: true });
  const global = command.parent === null ? [] : help.visibleGlobalOptions(command);
  const options = [...help.visibleOptions(command), ...global];
  const sections = [
    {
      title: "COMMANDS",
      rows: help
        .visibleCommands(command)
        .map((one) => [one.name(), help.subcommandDescription(one)] as const),
    },
    {
      title: "ARGUMENTS",
      rows: help
        .visibleArguments(command)
        .map((one) => [help.argumentTerm(one), help.argumentDescription(one)] as const),
    },
    {
      title: "OPTIONS",
      rows: options.map((one) => [help.optionTerm(one), help.optionDescription(one)] as const),
    },
  ];
  return sections
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ title, rows }) => [
      `.SH ${title}`,
      ...rows.flatMap(([term, what]) => [".TP", `.B ${escaped(term)}`, escaped(what)]),
    ]);
}

interface AfterHelp {
  /** Blocks with a title, such as `A test:`. */
  readonly sections: readonly string[];
  readonly notes: readonly string[];
  readonly examples: readonly string[];
  readonly exitStatus: string;
}

/** What help prints after the options. */
function afterHelp(command: Command): AfterHelp {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => parts.push(part), getOutHasColors: () => false });
  command.outputHelp();
  // The first part is the usage and the options.
  const [body = "", exitStatus = ""] = parts
    .slice(1)
    .join("")
    .split(/^Exit status: /m);
  const sections: string[] = [];
  const notes: string[] = [];
  const examples: string[] = [];
  for (const part of body.trim().split(/\n{2,}(?=\S)/)) {
    const [, title, block] = /^([A-Z][^\n]*):\n((?: {2}.*\n?|\n)+)$/.exec(part) ?? [];
    const list = title === undefined ? notes : title === "Examples" ? examples : sections;
    if (title === undefined) list.push(part.replaceAll("\n", " "));
    else list.push(`.SH ${escaped(title.toUpperCase())}`, ".nf", escaped(block!.trimEnd()), ".fi");
  }
  return {
    sections,
    notes: notes.filter((note) => note !== ""),
    examples,
    exitStatus: exitStatus.trim().replaceAll("\n", " "),
  };
}

const paragraphs = (text: string): string =>
  text
    .split("\n\n")
    .map((one) => escaped(one))
    .join("\n.PP\n");

/** Text in which nothing is a command of roff: no line begins with one, and hyphens can be copied and searched. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll("`", String.raw`\(ga`)
    .replaceAll("'", String.raw`\(aq`)
    .replaceAll(/^\./gm, String.raw`\&.`);
}
