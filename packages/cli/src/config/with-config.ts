import { homedir } from "node:os";
import type { Diagnostic } from "@tierwall/core";
import { diagnosticText } from "@tierwall/core/report";
import { type Command, CommanderError, Option } from "commander";
import { styleFor, printMessage, printToStderr } from "../output/terminal.js";
import { applyConfig } from "./apply-config.js";
import { readConfig } from "./config.js";
import { configurable } from "./config-schema.js";
import { findConfig } from "./find-config.js";

/** Lets tierwall.yaml give defaults to every command of a program. */
export function withConfig(program: Command): Command {
  return program
    .addOption(
      new Option(
        "--config <path>",
        "defaults for options (default: the nearest tierwall.yaml, here or above)",
      ),
    )
    .addOption(new Option("--no-config", "ignore tierwall.yaml"))
    .hook("preSubcommand", (_program, command) => {
      // Help works even if tierwall.yaml is invalid, and so do commands without options for it.
      if (configurable(command).length === 0 || program.args.some((word) => /^(-h|--help)$/.test(word)))
        return;
      const file = configFile(program);
      if (file === undefined) return;
      const read = readConfig(file, program);
      const problems = read.ok ? applyConfig(command, read.config) : read.diagnostics;
      if (problems.length > 0) refuse(problems, file, read.ok ? read.config.text : read.text);
      command.hook("preAction", () => {
        if (command.getOptionValue("verbose") === true) printMessage(`defaults from ${file}`);
      });
    });
}

/** The one that --config names, or the nearest. */
export function configFile(program: Command): string | undefined {
  const named: unknown = program.getOptionValue("config");
  if (named === false) return undefined;
  return typeof named === "string" ? named : findConfig(process.cwd(), homedir());
}

function refuse(problems: readonly Diagnostic[], file: string, text: string): never {
  const style = styleFor(process.stderr);
  const textOf = (of: string) => (of === file ? text : undefined);
  for (const problem of problems) printToStderr(`${diagnosticText(problem, textOf, style)}\n`);
  printMessage(`Nothing was done. Fix ${file}, or ignore it with --no-config.`);
  throw new CommanderError(2, "tierwall.config", "");
}
