import { Command, CommanderError } from "commander";
import { addDiff } from "./diff.js";
import { addExplain } from "./explain.js";
import { addPreview } from "./preview.js";
import { addTest } from "./test.js";
import { addTour } from "./tour.js";
import { addValidate } from "./validate.js";
import { version } from "./version.js";

/** In the order in which help lists them. */
const commands: readonly ((program: Command, finish: (status: number) => void) => void)[] = [
  addExplain,
  addTest,
  addDiff,
  addPreview,
  addValidate,
  addTour,
];

/** Runs the command line and returns the exit status: 0 fine, 1 a finding, 2 bad input. */
export async function run(args: readonly string[]): Promise<number> {
  // A reader like `head` that has seen enough is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  let status = 0;
  const program = makeProgram((result) => {
    status = result;
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return status;
}

/** The help of every command, for the reference in docs/. */
export function helpPages(): { command: string; text: string }[] {
  const program = makeProgram(() => undefined);
  const page = (command: Command, name: string) => {
    let text = "";
    command.configureOutput({
      writeOut: (part) => (text += part),
      getOutHelpWidth: () => 100,
      getOutHasColors: () => false,
    });
    command.outputHelp();
    return { command: name, text };
  };
  return [
    page(program, "tierwall"),
    ...program.commands.map((command) => page(command, `tierwall ${command.name()}`)),
  ];
}

function makeProgram(finish: (status: number) => void): Command {
  const program = new Command("tierwall")
    .description("Cluster-wide network policy for Kubernetes: decide, explain and test any connection.")
    .version(version)
    .showHelpAfterError("(--help tells more)")
    .showSuggestionAfterError()
    .exitOverride();
  for (const add of commands) add(program, finish);
  for (const command of program.commands) command.exitOverride().showHelpAfterError("(--help tells more)");
  program.addHelpText(
    "after",
    `
Examples:
  tierwall explain -f ./cluster --from shop/cart --to payments/api --port 8443
  tierwall test -R ./policies
  tierwall diff ./before ./after
  tierwall preview -f ./cluster --apply new-policy.yaml
  tierwall validate -f ./policies -R

Data goes to stdout, talk to stderr. NO_COLOR is honoured.`,
  );
  return program;
}
