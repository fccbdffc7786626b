import { type Diagnostic, hasErrors } from "@tierwall/core";
import {
  counted,
  countsOf,
  diagnosticsJson,
  diagnosticsText,
  formatCounts,
  summarize,
  summaryText,
} from "@tierwall/core/report";
import { isObject } from "@tierwall/core/manifest";
import type { State } from "@tierwall/core/state";
import { type Command, Option } from "commander";
import { printData } from "./explain.js";
import { type AssertionObjects, assertionObjects } from "../input/assertion-objects.js";
import { isUnread, loadState, sourceText, type StateFlags, withStateFlags } from "../input/state.js";
import { printText, quotedColumns, styleFor } from "../output/terminal.js";

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
        "Reads manifests and reports every error and warning with its file and line. ConnectivityTests and " +
          "Guarantees are checked, but not run. Kinds that are neither network policies nor part of a cluster " +
          "are counted and ignored.",
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
  const { state, sources, live, diagnostics: ofState } = await loadState(flags);
  const assertions = assertionObjects(sources);
  const diagnostics = withoutRepeated([...ofState, ...assertions.flatMap((kind) => kind.diagnostics)]);
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
        connectivityTests: assertions[0]!.count,
        guarantees: assertions[1]!.count,
        skipped,
        diagnostics: diagnosticsJson(diagnostics),
      },
      "json",
    );
  } else {
    const options = {
      sourceText: sourceText(sources),
      style: styleFor(process.stdout),
      verbose: flags.verbose ?? false,
      columns: quotedColumns(),
    };
    for (const text of diagnosticsText(diagnostics, options)) printText(`${text}\n`);
    const proposed = inProposalSpelling(state);
    if (proposed.length > 0) printText(`${proposalText(proposed)}\n`);
    printText(summaryText(diagnostics, live ? undefined : sources.length));
    for (const line of contents(state, assertions)) printText(line);
  }
  if (diagnostics.some(isUnread)) return 2;
  return hasErrors(diagnostics) ? 1 : 0;
}

/** A file is read once for the state, and again for the assertions in it. */
function withoutRepeated(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keys = diagnostics.map(({ code, message, place }) => JSON.stringify([code, message, place]));
  const first = new Map(keys.toReversed().map((key, i) => [key, keys.length - 1 - i]));
  return diagnostics.filter(({ place }, i) => place === undefined || first.get(keys[i]!) === i);
}

/** Policies that an API server with the released CRDs would refuse: `tier: admin`, `action: Allow`. */
function inProposalSpelling({ written }: State): readonly WrittenPolicy[] {
  return written.filter(({ policy, object }) => {
    const { spec } = object.value;
    if (policy.dialect !== "cluster-network-policy" || !isObject(spec)) return false;
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

/** What was read, and what was done with the objects that are not part of a cluster. */
function contents(
  { policies, written, cluster: { pods } }: State,
  assertions: readonly AssertionObjects[],
): readonly string[] {
  const wrong = written.length - policies.length;
  const kinds = formatCounts(countsOf(written.map(({ policy }) => policy.kind)));
  const isReplicated = [...pods.values()].some(({ fromTemplate }) => fromTemplate === true);
  const counts = [
    ...(written.length === 0
      ? []
      : [`${counted(written.length, "policy")} (${kinds}${wrong === 0 ? "" : `; ${wrong} with errors`})`]),
    ...(pods.size === 0
      ? []
      : [`${counted(pods.size, "pod")}${isReplicated ? " (replicas count once)" : ""}`]),
    ...assertions.flatMap(({ kind, count }) => (count === 0 ? [] : [counted(count, kind)])),
  ];
  return [
    counts.length === 0 ? "Read no policies and no pods." : `Read ${counts.join(", ")}.`,
    ...assertions.flatMap((some) => (some.count === 0 ? [] : [assertionText(some)])),
  ];
}

/** Such an object is checked here, but its statements are not. */
function assertionText({ kind, count, files }: AssertionObjects): string {
  const [it, is, holds] =
    count === 1 ? [`The ${kind}`, "is", "it holds"] : [`The ${kind}s`, "are", "they hold"];
  const paths = files.length > mostNamed ? "PATH" : files.join(" ");
  const command = kind === "Guarantee" ? "prove" : "test";
  return `${it} ${is} well-formed. Check whether ${holds}: tierwall ${command} ${paths}`;
}
