import type { Command } from "commander";
import { print } from "../output/terminal.js";
import { type Candidates, candidatesText, none } from "./candidates.js";
import { clusterOfLine } from "./cluster-of-line.js";
import { complete } from "./complete.js";
import type { LiveFlags } from "../input/live.js";
import { liveCluster } from "./live-cluster.js";

/** What the completion scripts, and kubectl, call at every press of the key. Hidden: users do not type it. */
export function addComplete(program: Command, finish: (status: number) => void): void {
  program
    .command("__complete", { hidden: true })
    .description("Prints what can complete a command line; the scripts of `tierwall completion` call it.")
    .argument("[words...]", "the words after the name of the program, the last as far as it is typed")
    .action(async (words: readonly string[]) => {
      print(candidatesText(await candidatesNow(program, words)));
      finish(0);
    });
}

/** The user is typing: errors are reported when the line is run. */
async function candidatesNow(program: Command, words: readonly string[]): Promise<Candidates> {
  try {
    let asked: { readonly flags: LiveFlags; readonly word: string } | undefined;
    const found = complete(
      program,
      words,
      clusterOfLine(program, (flags, word) => (asked = { flags, word })),
    );
    if (asked === undefined) return found;
    const cluster = await liveCluster(asked.flags, asked.word);
    return complete(program, words, () => cluster);
  } catch {
    return none;
  }
}
