import { hasErrors } from "@tierwall/core";
import { diagnosticsJson, diagnosticText, summarize, summaryText } from "@tierwall/core/report";
import { isObject } from "@tierwall/core/manifest";
import type { State } from "@tierwall/core/state";
import { type Command, Option } from "commander";
import { printData } from "./explain.js";
import { isUnread, loadState, sourceText, type StateFlags, withStateFlags } from "../input/state.js";
import { print, printText, quotedColumns, styleFor } from "../output/terminal.js";

type WrittenPolicy = State["written"][number];

interface ValidateFlags extends StateFlags {
  readonly output: "text" | "json";
}

export function addValidate(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    program
      .command("validate")
      .summary("check manifests, and report all errors at once")
      .description(
        "Reads manifests and reports every error and warning with its file and line. Kinds that are " +
          "neither network policies nor part of a cluster are counted and ignored.",
      )
      .addOption(
        new Option("-o, --output <format>", "the output format").choices(["text", "json"]).default("text"),
      ),
  )
    .addHelpText(
      "after",
      `
Examples:
  tierwall validate -f policies/ -R
  tierwall validate --context prod
  kubectl get clusternetworkpolicies -o yaml | tierwall validate -f -

Every code has a page in docs/reference/diagnostics/.
Exit status: 0 no errors, 1 errors, 2 a path or a cluster that cannot be read.`,
    )
    .action(async (flags: ValidateFlags) => finish(await runValidate(flags)));
}

async function runValidate(flags: ValidateFlags): Promise<number> {
  const { state, sources, live, diagnostics } = await loadState(flags);
  if (flags.output === "json") {
    const skipped = Object.fromEntries(state.skipped);
    printData(
      {
        apiVersion: "tierwall.dev/v1",
        kind: "Diagnostics",
        ...summarize(diagnostics),
        ...(live ? {} : { files: sources.length }),
        policies: state.policies.length,
        pods: state.cluster.pods.size,
        skipped,
        diagnostics: diagnosticsJson(diagnostics),
      },
      "json",
    );
  } else {
    const style = styleFor(process.stdout);
    const textOf = sourceText(sources);
    for (const found of diagnostics) printText(`${diagnosticText(found, textOf, style, quotedColumns())}\n`);
    print(summaryText(diagnostics, live ? undefined : sources.length));
    print(contents(state.policies.length, state.cluster.pods.size));
    const proposed = inProposalSpelling(state);
    if (proposed.length > 0) printText(`\n${proposalText(proposed)}`);
  }
  if (diagnostics.some(isUnread)) return 2;
  return hasErrors(diagnostics) ? 1 : 0;
}

/** Policies that an API server with the released CRDs would refuse: `tier: admin`, `action: Allow`. */
function inProposalSpelling({ written }: State): readonly WrittenPolicy[] {
  return written.filter(({ policy, object }) => {
    const { spec } = object.value;
    if (policy.kind !== "ClusterNetworkPolicy" || !isObject(spec)) return false;
    const rules = [spec.ingress, spec.egress].flatMap((list) =>
      Array.isArray(list) ? (list as readonly unknown[]) : [],
    );
    const isAllow = (rule: unknown) => isObject(rule) && rule.action === "Allow";
    return spec.tier === "admin" || spec.tier === "baseline" || rules.some(isAllow);
  });
}

/** How many are named. */
const mostNamed = 5;

function proposalText(proposed: readonly WrittenPolicy[]): string {
  const names = proposed.slice(0, mostNamed).map(({ policy, object }) => {
    const { file, line } = object.document.placeOf(object.path);
    return `${policy.name} (${file}:${line})`;
  });
  const more = proposed.length > mostNamed ? ` and ${proposed.length - mostNamed} more` : "";
  const who =
    proposed.length === 1 ? "1 ClusterNetworkPolicy uses" : `${proposed.length} ClusterNetworkPolicies use`;
  return (
    `${who} the spelling of the proposal, NPEP-285 (tier: admin, action: Allow). A cluster with the released API expects ` +
    `tier: Admin and action: Accept: ${names.join(", ")}${more}`
  );
}

/** `12 policies, 40 pods`. */
function contents(policies: number, pods: number): string {
  return `${policies} ${policies === 1 ? "policy" : "policies"}, ${pods} ${pods === 1 ? "pod" : "pods"}`;
}
