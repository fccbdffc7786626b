import type { Command } from "commander";
import { pagerOf } from "./pager.js";
import { holdOutput, setWide, showHeld } from "./terminal.js";

/** Commands that go on, or whose output is not read by people at once. */
const unpaged: ReadonlySet<string> = new Set([
  "agent",
  "controller",
  "serve",
  "test",
  "completion",
  "__complete",
]);

/** The pager that the output of this command waits for. */
let pager: string | undefined;

/** Gives `-o wide` to commands that print text, and a pager to their output on a terminal. */
export function withTextOptions(program: Command): void {
  for (const command of program.commands) {
    const output = command.options.find(({ long }) => long === "--output");
    if (output?.argChoices?.includes("text") === true && !unpaged.has(command.name()))
      output.choices([...output.argChoices, "wide"]);
  }
  program.option("--no-pager", "do not show long output through $PAGER").hook("preAction", (_, command) => {
    const isWide = command.getOptionValue("output") === "wide";
    setWide(isWide);
    if (isWide) command.setOptionValueWithSource("output", "text", command.getOptionValueSource("output"));
    const isPaged = program.getOptionValue("pager") !== false && !unpaged.has(command.name());
    pager =
      isPaged && command.getOptionValue("watch") !== true ? pagerOf(process.stdout, process.env) : undefined;
    if (pager !== undefined) holdOutput();
  });
}

/** Shows what waited for the pager, if there is one. */
export async function endPaging(): Promise<void> {
  const used = pager;
  pager = undefined;
  if (used !== undefined) await showHeld(used);
}
