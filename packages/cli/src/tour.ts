import { explain, parseEndpoint, parseTarget } from "@tierwall/core/analysis";
import { explanationText } from "@tierwall/core/report";
import { readState } from "@tierwall/core/state";
import type { Command } from "commander";
import { readPaths } from "@tierwall/kube";
import { exampleFolder, exampleIsMissing } from "./example.js";
import { print, printText, styleFor, printMessage } from "./output/terminal.js";

/** The connections the tour explains, and what is worth noticing in each. */
const stops = [
  {
    from: "shop/cart",
    to: "payments/api:8443/TCP",
    say: "A developer's connection was dropped. Which rule denies it, and which one almost allows it?",
  },
  {
    from: "sandbox/experiment",
    to: "kube-system/coredns:53/UDP",
    say: "A quarantined sandbox can still resolve names. Which rule allows DNS?",
  },
  {
    from: "monitoring/prometheus",
    to: "team-b/notebook:8888/TCP",
    say: "An admin rule passes connections from monitoring. Why is this one still denied?",
  },
] as const;

export function addTour(program: Command, finish: (status: number) => void): void {
  program
    .command("tour")
    .summary("explain three connections of an example cluster")
    .description(
      "A guided tour: an example cluster that uses all six policy APIs, and three of its connections explained.",
    )
    .addHelpText(
      "after",
      `
Examples:
  tierwall tour

Exit status: 0, or 2 where the example cluster is not installed.`,
    )
    .action(() => finish(runTour()));
}

function runTour(): number {
  const folder = exampleFolder();
  if (folder === undefined) {
    printMessage(exampleIsMissing);
    return 2;
  }
  const style = styleFor(process.stdout);
  const { sources } = readPaths([folder], true);
  const state = readState(sources);
  printText(
    `${style.bold("Tierwall")}: an example cluster with ${state.cluster.pods.size} pods, and ${state.policies.length} policies from six APIs (${folder}).\n`,
  );
  for (const [i, stop] of stops.entries()) {
    const from = parseEndpoint(stop.from);
    const to = parseTarget(stop.to);
    if (!from.ok || !to.ok) return 2;
    const explained = explain(state, { from: from.value, to: to.value.endpoint, port: to.value.port });
    if (!explained.ok) {
      printMessage(explained.diagnostic.message);
      return 2;
    }
    printText(style.bold(`${i + 1}. ${stop.say}`));
    print(style.dim(`   npx tierwall explain -f ${folder} -R \\\n     ${stop.from} ${stop.to}\n`));
    printText(`${explanationText(explained.value, { style })}\n`);
  }
  print(
    [
      "Next:",
      "  npx tierwall explain -f FOLDER -R NAMESPACE/POD NAMESPACE/POD:PORT",
      "  npx tierwall test -R examples",
      "  npx tierwall --help",
    ].join("\n"),
  );
  return 0;
}
