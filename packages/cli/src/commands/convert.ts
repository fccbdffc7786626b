import { type Conversion, convert, isProven, type Target, targets } from "@tierwall/core/analysis";
import { diagnostic } from "@tierwall/core/manifest";
import type { PolicyRef } from "@tierwall/core/model";
import { conversionJson, conversionText, diagnosticText } from "@tierwall/core/report";
import type { State } from "@tierwall/core/state";
import { type Command, Option } from "commander";
import { printData } from "./explain.js";
import { duration } from "../input/quantity.js";
import {
  isUsable,
  loadState,
  sourceText,
  type StateFlags,
  printRemarks,
  withStateFlags,
} from "../input/state.js";
import { printWhole, styleFor, printMessage, printToStderr } from "../output/terminal.js";

interface ConvertFlags extends StateFlags {
  readonly to: Target;
  readonly only?: readonly string[];
  readonly unproven?: boolean;
  readonly budget: number;
  readonly output: "yaml" | "json";
}

export function addConvert(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    program
      .command("convert")
      .summary("write policies in another API, and prove that nothing changes")
      .description(
        "Writes the cluster-wide policies of the input in another API: the new policies go to stdout, everything else to " +
          "stderr. Names, comments and order are kept. What was written is read back, and every verdict between every two " +
          "endpoints is compared on the cluster as given: nothing is printed unless all are the same. Whether they are the same in " +
          "every cluster is proven as well, or the cluster in which they are not is shown.",
      )
      .addOption(
        new Option("--to <api>", "what to write").choices(Object.keys(targets)).makeOptionMandatory(),
      )
      .option(
        "--only <kind[/name]>",
        "convert these policies, and leave the others as they are (repeatable)",
        (value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value],
      )
      .option(
        "--unproven",
        "print the policies even if some verdicts are not the same; the status is 1 still",
      )
      .addOption(
        new Option("--budget <time>", "give up on comparing every cluster after this time")
          .argParser(duration)
          .default(10_000, "10s"),
      )
      .addOption(
        new Option("-o, --output <format>", "how to write").choices(["yaml", "json"]).default("yaml"),
      ),
  )
    .addHelpText(
      "after",
      `
Examples:
  # AdminNetworkPolicies, and those of KEP-2091 and its first draft, as ClusterNetworkPolicies
  tierwall convert -f ./cluster -R --to cluster-network-policy > new.yaml

  # The way back, for a cluster whose plugin knows AdminNetworkPolicy only
  tierwall convert -f ./cluster -R --to network-policy-api-v1alpha1

  # One policy, with the reasons and differences as data
  tierwall convert -f ./cluster --to cluster-network-policy --only AdminNetworkPolicy/tenants -o json

Exit status: 0 proven or nothing to convert, 1 refused or not proven, 2 the input is not valid.`,
    )
    .action(async (flags: ConvertFlags) => finish(await runConvert(flags)));
}

async function runConvert(flags: ConvertFlags): Promise<number> {
  const loaded = await loadState(flags);
  if (!isUsable(loaded, flags.verbose)) return 2;
  const style = styleFor(process.stderr);
  const printDiagnostic = (found: Parameters<typeof diagnosticText>[0]) =>
    printToStderr(`${diagnosticText(found, sourceText(loaded.sources), style)}\n`);
  const missing = (flags.only ?? []).filter((wanted) => !isNamed(loaded.state, wanted));
  if (missing.length > 0) {
    for (const wanted of missing)
      printDiagnostic(
        diagnostic(
          "TW1602",
          `there is no policy \`${wanted}\` in the input; write \`KIND\` or \`KIND/NAME\``,
        ),
      );
    return 2;
  }
  const only = flags.only;
  const conversion = convert(loaded.state, {
    to: flags.to,
    budget: { deadline: Date.now() + flags.budget },
    ...(only === undefined ? {} : { only: (policy) => only.some((wanted) => names(wanted, policy)) }),
  });
  for (const refusal of conversion.refusals.slice(0, mostRefusals)) printDiagnostic(refusal);
  const omitted = conversion.refusals.length - mostRefusals;
  if (omitted > 0) printMessage(`… and ${omitted} more (-o json lists all)`, "");
  const proven =
    conversion.refusals.length === 0 && (conversion.proof === undefined || isProven(conversion.proof));
  printPolicies(conversion, flags, proven);
  printToStderr(conversionText(conversion, style));
  if (!proven && conversion.text !== "" && flags.output === "yaml" && !flags.unproven)
    printMessage("  Nothing was printed; --unproven prints the policies anyway.");
  printRemarks(loaded, flags.verbose ?? false);
  return proven ? 0 : 1;
}

/** A screen of them is enough to know. */
const mostRefusals = 10;

function printPolicies(conversion: Conversion, { output, unproven }: ConvertFlags, proven: boolean): void {
  if (output === "json") printData(conversionJson(conversion), "json");
  else if (proven || unproven) printWhole(conversion.text);
}

const isNamed = ({ policies }: State, wanted: string): boolean =>
  policies.some((policy) => names(wanted, policy));

/** `AdminNetworkPolicy`, `adminnetworkpolicies/guard`: as kubectl takes it. */
function names(wanted: string, { kind, name }: PolicyRef): boolean {
  const [wantedKind, ...wantedName] = wanted.split("/");
  const fold = (text: string) => text.toLowerCase().replace(/ies$/, "y");
  return fold(wantedKind!) === fold(kind) && (wantedName.length === 0 || wantedName.join("/") === name);
}
