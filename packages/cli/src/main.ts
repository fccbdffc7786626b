import type { Schema } from "@tierwall/core/manifest";
import { diagnosticText } from "@tierwall/core/report";
import { RefusedInput } from "@tierwall/kube";
import { Command, CommanderError, type Option } from "commander";
import { addAgent } from "./commands/agent.js";
import { addCleanup } from "./commands/cleanup.js";
import { addComplete } from "./completion/complete-command.js";
import { addCompletion } from "./completion/completion-command.js";
import { documentedSchema } from "./config/config-schema.js";
import { withConfig } from "./config/with-config.js";
import { addController } from "./commands/controller.js";
import { addConvert } from "./commands/convert.js";
import { addExplain } from "./commands/explain.js";
import { addHits } from "./commands/hits.js";
import { addInit } from "./init/init-command.js";
import { firstScreen } from "./first-screen.js";
import { type Invocation, asInvoked } from "./invocation.js";
import { type ManPage, manPagesOf } from "./man/man-page.js";
import { fittedHelp } from "./output/help-text.js";
import { addMinimize } from "./commands/minimize.js";
import { addMatrix } from "./commands/matrix.js";
import { addLint } from "./commands/lint.js";
import { addManifests } from "./commands/manifests.js";
import { addLookup } from "./commands/lookup.js";
import { addNft } from "./commands/nft.js";
import { addProve } from "./commands/prove.js";
import { addReplay } from "./commands/replay.js";
import { addDiff } from "./commands/diff.js";
import { addPreview } from "./commands/preview.js";
import { addServe } from "./commands/serve.js";
import { addSnapshot } from "./commands/snapshot.js";
import { printWhole, styleFor, printToStderr, watchOutput } from "./output/terminal.js";
import { endPaging, withTextOptions } from "./output/text-options.js";
import { addTest } from "./commands/test.js";
import { addTour } from "./tour.js";
import { addValidate } from "./commands/validate.js";
import { version } from "./version.js";

/** In the order in which help lists them. */
const commands: readonly ((program: Command, finish: (status: number) => void) => void)[] = [
  addExplain,
  addMatrix,
  addLookup,
  addReplay,
  addTest,
  addProve,
  addDiff,
  addPreview,
  addValidate,
  addLint,
  addConvert,
  addMinimize,
  addInit,
  addSnapshot,
  addController,
  addAgent,
  addHits,
  addNft,
  addManifests,
  addCleanup,
  addServe,
  addTour,
  addCompletion,
  addComplete,
];

/** Runs the command line and returns the exit status: 0 fine, 1 a finding, 2 bad input, 3 a mistake of our own. */
export async function run(args: readonly string[], invocation: Invocation = "tierwall"): Promise<number> {
  const isOutputLost = watchOutput();
  if (args.length === 0) {
    printToStderr(
      asInvoked(
        invocation,
        firstScreen,
        makeProgram(() => undefined).commands.map((one) => one.name()),
      ),
    );
    return 2;
  }
  let status = 0;
  const program = makeProgram((result) => {
    status = result;
  }, invocation);
  try {
    await program.parseAsync(args, { from: "user" });
    await endPaging();
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof RefusedInput) {
      printToStderr(diagnosticText(error.diagnostic, () => undefined, styleFor(process.stderr)));
      return 2;
    }
    printToStderr(`this is a bug in tierwall; please report it:\n\n${stackOf(error)}`);
    return 3;
  }
  // Errors of streams are reported in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  return isOutputLost() ? Math.max(status, 2) : status;
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

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
    ...program.commands.filter(isVisible).map((command) => page(command, `tierwall ${command.name()}`)),
  ];
}

/** The manual pages of every command, for packages/cli/man. */
export const manPages = (): readonly ManPage[] => manPagesOf(makeProgram(() => undefined));

/** What tierwall.yaml may say, for the reference in docs/. */
export const defaultsSchema = (): Schema => documentedSchema(makeProgram(() => undefined));

const isVisible = (command: Command) => !command.name().startsWith("__");

export function makeProgram(finish: (status: number) => void, invocation: Invocation = "tierwall"): Command {
  const program: Command = new Command(invocation)
    .description("Cluster-wide network policy for Kubernetes: decide, explain and test any connection.")
    .version(version)
    .showHelpAfterError("(see --help)")
    .showSuggestionAfterError()
    .configureOutput(outputOf(() => program, invocation))
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: globalOptions,
      subcommandTerm: (command) => command.name(),
    })
    .exitOverride();
  withConfig(program);
  for (const add of commands) add(program, finish);
  withTextOptions(program);
  for (const command of program.commands) command.exitOverride().showHelpAfterError("(see --help)");
  program.addHelpText(
    "after",
    `
Examples:
  tierwall explain --from shop/cart --to payments/api --port 8443
  tierwall explain -f ./cluster --from shop/cart --to payments/api --port 8443
  tierwall matrix -f ./cluster
  tierwall lookup -f ./cluster shop/cart
  tierwall replay -f ./cluster --flows flows.jsonl
  tierwall test -R ./policies
  tierwall prove -R ./guarantees -f ./policies
  tierwall diff ./before ./after
  tierwall preview -f ./cluster --apply new-policy.yaml
  tierwall validate -f ./policies -R
  tierwall lint -f ./cluster -R
  tierwall convert -f ./cluster --to cluster-network-policy
  tierwall minimize -f ./cluster
  tierwall init
  tierwall snapshot -o cluster.json.gz
  tierwall hits --never
  tierwall serve -f ./cluster -R

Without -f, the cluster of the current kubectl context is read: docs/how-to/live.md.
Defaults for options go into tierwall.yaml: docs/how-to/configuration.md.
Data goes to stdout, messages to stderr. NO_COLOR and FORCE_COLOR are honoured.`,
  );
  return program;
}

/** All that commander prints is help, in one form or another. */
function outputOf(program: () => Command, invocation: Invocation) {
  const commands = () => program().commands.map((command) => command.name());
  return {
    writeOut: (text: string) => printWhole(fittedHelp(asInvoked(invocation, text, commands()))),
    writeErr: (text: string) => printToStderr(asInvoked(invocation, text, commands()).replace(/\n$/, "")),
  };
}

/** Those that are useful with a command. */
function globalOptions(command: Command): Option[] {
  return (
    command.parent?.options.filter((option) => ["config", "pager"].includes(option.attributeName())) ?? []
  );
}
