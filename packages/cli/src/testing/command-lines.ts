import { CommanderError } from "commander";
import { makeProgram } from "../main.js";

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

/** `tierwall validate -f PATH [-R]` stands for many. */
const isSynopsis = (line: string): boolean => /\[[-A-Z]|…|\.\.\.|\b[A-Z]+\|/.test(line);

/** The words of a line, up to where the shell does something else with them. */
export function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word);
  const end = words.findIndex((word) => /^(?:[|>&;)]|2>)/.test(word));
  return words
    .slice(0, end === -1 ? undefined : end)
    .map((word) => word.replace(/^(['"])(.*)\1$/s, "$2").replace(/\)$/, ""));
}

/** What the program says to a line without running it; undefined if it would run it. */
export function complaintAbout(words: readonly string[]): string | undefined {
  const program = makeProgram(() => undefined);
  let said = "";
  const output = { writeOut: () => undefined, writeErr: (text: string) => (said += text) };
  program.configureOutput(output);
  for (const command of program.commands) command.configureOutput(output).action(() => undefined);
  try {
    program.parse(["--no-config", ...words], { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : said;
  }
}

export function commandNames(): readonly string[] {
  return makeProgram(() => undefined)
    .commands.map((command) => command.name())
    .filter((name) => !name.startsWith("__"));
}
