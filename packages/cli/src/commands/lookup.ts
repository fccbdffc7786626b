import { Cluster } from "@tierwall/core";
import { diagnosticText } from "@tierwall/core/report";
import { type Command, Option } from "commander";
import { printData } from "./explain.js";
import { isUsable, loadState, type StateFlags, printRemarks, withAnswerFlags } from "../input/state.js";
import { printText, styleFor, printToStderr } from "../output/terminal.js";

interface LookupFlags extends StateFlags {
  readonly output: "text" | "json";
}

export function addLookup(program: Command, finish: (status: number) => void): void {
  withAnswerFlags(
    program
      .command("lookup")
      .summary("every rule that can affect a pod, and which have no effect")
      .description(
        "Lists the rules that apply to a pod, and those of other pods that mention it, in the order in which they " +
          "are evaluated. Shows which rules never decide anything for this pod in this cluster, and which rules prevent it; " +
          "and whether the pod is isolated in each direction, and by which policies.\n\n" +
          "Instead of a pod: NAMESPACE/KIND/NAME for a workload, node:NAME, an IP address, or new:K=V,…/K=V,… for a " +
          "pod that does not exist yet.",
      )
      .argument("<endpoint>", "NAMESPACE/POD, or one of the forms above")
      .addOption(
        new Option("-o, --output <format>", "the output format").choices(["text", "json"]).default("text"),
      ),
  )
    .addHelpText(
      "after",
      `
Examples:
  # Which rules apply to cart, and which have no effect?
  tierwall lookup -f ./cluster shop/cart

  # What would apply to a new pod of team a
  tierwall lookup -f ./cluster -R new:team=a/app=web

  # The rules that never decide anything for it, for a script
  tierwall lookup -f ./cluster shop/cart -o json | jq '.answers[].asSubject[].rules[] | select(.decides == "never")'

Exit status: 0 when there is an answer, 2 when the input is not valid.`,
    )
    .action(async (endpoint: string, flags: LookupFlags) => finish(await runLookup(endpoint, flags)));
}

async function runLookup(endpoint: string, flags: LookupFlags): Promise<number> {
  const loaded = await loadState(flags);
  if (!isUsable(loaded, flags.verbose)) return 2;
  const found = new Cluster(loaded).lookup(endpoint);
  if (!found.ok) {
    printToStderr(diagnosticText(found.diagnostic, () => undefined, styleFor(process.stderr)));
    return 2;
  }
  const style = styleFor(process.stdout);
  if (flags.output === "text") printText(found.value.text({ style, verbose: flags.verbose ?? false }));
  else printData(found.value.json(), "json");
  printRemarks(loaded, flags.verbose ?? false);
  return 0;
}
