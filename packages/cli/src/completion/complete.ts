import type { Inventory } from "@tierwall/core/model";
import type { Command } from "commander";
import { isRepeatable, type ValueKind, valueKindOf } from "../input/option-value.js";
import { type Candidates, none, plain } from "./candidates.js";
import { endpointNames, namespaceNames } from "./cluster-names.js";
import { type Given, readLine, type Slot } from "./slot.js";

/** Reads the cluster that a line is about, if that can be done while the user waits; as much of it as the word may name. */
export type ClusterOf = (command: Command, given: Given, word: string) => Inventory | undefined;

/** What can complete a line: its words after the name of the program, the last as far as it is typed. */
export function complete(program: Command, words: readonly string[], clusterOf: ClusterOf): Candidates {
  const { slot, lead, word } = readLine(program, words);
  const candidates = candidatesFor(program, slot, word, clusterOf);
  const fitting = candidates.list.filter(({ value }) => value.startsWith(word));
  return { ...candidates, list: fitting.map((one) => ({ ...one, value: `${lead}${one.value}` })) };
}

function candidatesFor(program: Command, slot: Slot, word: string, clusterOf: ClusterOf): Candidates {
  switch (slot.kind) {
    case "command":
      return commandNames(program);
    case "option":
      return optionNames(program, slot.command, slot.given);
    case "value": {
      const { of, command, given } = slot;
      if (of.argChoices !== undefined) return plain(of.argChoices);
      const kind = valueKindOf(of);
      return valuesOf(kind, word, () => clusterOf(command, given, word));
    }
    case "nothing":
      return none;
  }
}

function valuesOf(kind: ValueKind, word: string, cluster: () => Inventory | undefined): Candidates {
  if (kind === "path") return { list: [], files: true };
  if (kind === "other") return none;
  const known = cluster();
  if (known === undefined) return none;
  return kind === "namespace" ? namespaceNames(known) : endpointNames(known, word);
}

function commandNames(program: Command): Candidates {
  const commands = program.createHelp().visibleCommands(program);
  return {
    list: commands.map((command) => ({
      value: command.name(),
      description: command.summary() || command.description(),
    })),
  };
}

/** Those that have not been given yet, or may be given again. */
function optionNames(program: Command, command: Command, given: Given): Candidates {
  const help = command.createHelp();
  const global = command === program ? [] : help.visibleGlobalOptions(command);
  const options = [...help.visibleOptions(command), ...global].filter(
    (option) => isRepeatable(option) || !given.has(option.attributeName()),
  );
  return {
    list: options.map((option) => ({
      value: option.long ?? option.short ?? "",
      description: option.description,
    })),
  };
}
