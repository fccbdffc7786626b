import { CommanderError } from "commander";
import { makeProgram } from "../src/main.js";

/** The command lines in a text, as people are shown them: help, pages, workflows. A line with a `\` goes on in the next. */
export function commandLines(text: string): readonly string[] {
  const lines = text.replace(/\\\n\s*/g, "").split("\n");
  return lines.flatMap((line) => {
    const shown = /^\s*(?:\$ |- run: )?(?:[^#`]*\| )?(?:npx (?:--yes )?)?tierwall(?:@[\d.]+)? ([^#]*)/.exec(
      line,
    )?.[1];
    return shown === undefined || isSynopsis(shown) ? [] : [shown.trim()];
  });
}

/** A synopsis, such as `tierwall validate -f PATH [-R]`, is not a command that can be run. */
const isSynopsis = (line: string): boolean => /\[[-A-Z]|…|\.\.\.|\b[A-Z]+\|/.test(line);

/** The words of a line, up to where the shell does something else with them. */
export function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word);
  const end = words.findIndex((word) => /^(?:[|>&;)]|2>)/.test(word));
  return words
    .slice(0, end === -1 ? undefined : end)
    .map((word) =>
      word
        .replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? "")
        .replace(/\)$/, ""),
    );
}

export interface Reply {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the program itself says to a line, in this process; the command is not run. */
export function replyTo(words: readonly string[]): Reply {
  const program = makeProgram(() => undefined);
  const said = { status: 0, stdout: "", stderr: "" };
  const output = {
    writeOut: (text: string) => (said.stdout += text),
    writeErr: (text: string) => (said.stderr += text),
  };
  program.configureOutput(output);
  for (const command of program.commands) command.configureOutput(output).action(() => undefined);
  try {
    program.parse(["--no-config", ...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    said.status = error.exitCode === 0 ? 0 : 2;
  }
  return said;
}

/** Why the program would not run a line; undefined if it would. */
export function usageError(words: readonly string[]): string | undefined {
  const { status, stderr } = replyTo(words);
  return status === 0 ? undefined : stderr;
}

export function commandNames(): readonly string[] {
  return makeProgram(() => undefined)
    .commands.map((command) => command.name())
    .filter((name) => !name.startsWith("__"));
}
