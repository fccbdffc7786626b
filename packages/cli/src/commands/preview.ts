import type { Grain } from "@tierwall/core";
import {
  type Failure,
  failures,
  failuresIn,
  implementationCaveatsOfAll,
  preview,
} from "@tierwall/core/analysis";
import { affectsAnswers } from "@tierwall/core/manifest";
import {
  belowCaveats,
  caveatsJson,
  caveatsMarkdown,
  diagnosticsJson,
  previewAnnotations,
  previewJson,
  previewMarkdown,
  previewText,
} from "@tierwall/core/report";
import { caveatsOfAll, mergedCaveats, parseRemoval, type Removal } from "@tierwall/core/state";
import { type Command, InvalidArgumentError } from "commander";
import { type ChangesFormat, grainOption, outputOption, printForGithub } from "../output/changes-output.js";
import { inputProblem, loadEdited } from "../input/edited.js";
import { printData } from "./explain.js";
import { collect, isUsable, type StateFlags, printRemarks, withAnswerFlags } from "../input/state.js";
import { print, printText, styleFor, printMessage } from "../output/terminal.js";

interface PreviewFlags extends StateFlags {
  readonly apply?: readonly string[];
  readonly delete?: readonly Removal[];
  readonly failOn?: readonly Failure[];
  readonly by: Grain;
  readonly output: ChangesFormat;
}

export function addPreview(program: Command, finish: (status: number) => void): void {
  withAnswerFlags(
    program
      .command("preview")
      .summary("what applying or deleting objects would change, before you do it")
      .description(
        "Shows what a change would do before you make it. Reads a state, replaces objects by those of --apply, removes " +
          "what --delete names, and reports which connections become allowed, denied or undecided; which NetworkPolicies are " +
          "overridden, and by which policies; policies of equal priority that conflict; whether " +
          "pods lose DNS, the API server or their probes; and which pods become isolated or cut off.",
      )
      .option("--apply <path>", "a file or a folder with objects, or - (repeatable)", collect)
      .option(
        "--delete <object>",
        "KIND for a whole API, KIND/NAME or KIND/NAMESPACE/NAME (repeatable)",
        collectRemovals,
      )
      .option("--fail-on <what>", `exit with 1 on any of ${failures.join(",")}`, parseFailures)
      .addOption(grainOption())
      .addOption(outputOption()),
  )
    .addHelpText(
      "after",
      `
Examples:
  # Before kubectl apply, in the current cluster; -f alone means the same
  tierwall preview --apply deny-all-ingress.yaml

  # The same for a cluster in files
  tierwall preview -f ./cluster --apply deny-all-ingress.yaml

  # In a pipeline: stop if something would break
  tierwall preview -f snapshot.json --apply policies/ -R --fail-on newly-denied,overrides,lockout -o github

  # What uninstalling an API would open
  tierwall preview -f ./cluster --delete AdminNetworkPolicy

  # Replace one policy by another
  tierwall preview -f ./cluster --delete NetworkPolicy/shop/allow-all --apply shop.yaml

Exit status: 0 when there is an answer, 1 when --fail-on names something that was found, 2 bad input.`,
    )
    .action(async (flags: PreviewFlags, command: Command) => {
      const isOnLine = command.getOptionValueSource("filename") === "cli";
      finish(await runPreview(isOnLine ? asKubectl(flags) : flags));
    });
}

function collectRemovals(value: string, previous: readonly Removal[] | undefined): readonly Removal[] {
  const removal = parseRemoval(value);
  if (!removal.ok) throw new InvalidArgumentError(removal.diagnostic.message);
  return [...(previous ?? []), removal.value];
}

function parseFailures(value: string): readonly Failure[] {
  return value.split(",").map((part) => {
    const known = failures.find((failure) => failure === part.trim());
    if (known === undefined)
      throw new InvalidArgumentError(`\`${part}\` is not one of ${failures.join(", ")}.`);
    return known;
  });
}

/** A user who would go on with `kubectl apply -f FILE` asks with `-f FILE` alone, and means the cluster. */
function asKubectl(flags: PreviewFlags): PreviewFlags {
  const { filename, apply, delete: remove, ...rest } = flags;
  if (apply !== undefined || remove !== undefined) return flags;
  printMessage(
    "-f alone names what would be applied to the cluster; with --apply or --delete, it names the state instead",
  );
  return { ...rest, ...(filename === undefined ? {} : { apply: filename }) };
}

async function runPreview(flags: PreviewFlags): Promise<number> {
  const { apply = [], delete: remove = [] } = flags;
  if (apply.length + remove.length === 0) {
    const state = flags.filename === undefined ? "" : "; what `-f` names is the state that they change";
    printMessage(
      `nothing to preview; name objects with \`--apply FILE\`, or with \`--delete KIND/NAME\`${state}`,
    );
    return 2;
  }
  const problem = inputProblem([], flags, apply);
  if (problem !== undefined) {
    printMessage(problem);
    return 2;
  }
  const { before, after, edited } = await loadEdited(flags, apply, remove);
  // The edit may remove what is wrong with the state: then the error of the state is reported.
  if (!isUsable(after, flags.verbose) || !isUsable(before, flags.verbose)) return 2;
  const found = preview(edited, flags.by);
  const caveats = mergedCaveats(
    caveatsOfAll(after.state),
    caveatsOfAll(before.state),
    implementationCaveatsOfAll(after.state),
  );
  const markdown = () => [...caveatsMarkdown(caveats), previewMarkdown(found)].join("\n");
  const options = { style: styleFor(process.stdout), verbose: flags.verbose ?? false };
  switch (flags.output) {
    case "text":
      printText(belowCaveats(previewText(found, options), caveats, options));
      break;
    case "json":
      printData(
        {
          ...previewJson(found),
          caveats: caveatsJson(caveats),
          remarks: diagnosticsJson(after.diagnostics.filter(affectsAnswers)),
        },
        "json",
      );
      break;
    case "md":
      print(markdown());
      break;
    case "github":
      printForGithub(previewAnnotations(found), markdown());
      break;
  }
  printRemarks(after, flags.verbose ?? false);
  const failed = failuresIn(found).filter((failure) => flags.failOn?.includes(failure));
  if (failed.length > 0) printMessage(`failed on ${failed.join(", ")}`);
  return failed.length > 0 ? 1 : 0;
}
