import type { Step } from "../../analysis/minimize/draft.js";
import type { Minimization } from "../../analysis/minimize/minimize.js";
import type { Obstacle, Unit } from "../../analysis/minimize/verification.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import { formatPolicy } from "../../policy/model.js";
import { differenceLines } from "../proofs/equality.js";
import type { Style } from "../style.js";
import { counted, numberText } from "../wording.js";

/** What was merged and removed, and why nothing changes. */
export function minimizationText(found: Minimization, style: Style): string {
  const { changes, undone, leftAlone } = found;
  return [
    ...headline(found, style),
    ...changes.flatMap((change) => ["", ...changeLines(change, style)]),
    ...(undone.length > 0 ? ["", "Not done:"] : []),
    ...undone.flatMap(({ because, ...change }) => [
      ...changeLines(change, style).map((line) => `  ${line}`),
      ...obstacleLines(because).map((line) => style.unsure(`    ${line}`)),
    ]),
    ...leftAloneLines(leftAlone, style),
  ].join("\n");
}

function headline(found: Minimization, style: Style): readonly string[] {
  const { changes, before, after, verification } = found;
  const size = `${counted(before.policies, "policy")} with ${counted(before.rules, "rule")}`;
  if (changes.length === 0) return [style.good(`✓ nothing to minimize: ${size}`)];
  const became = `${counted(before.policies, "policy")} became ${numberText(after.policies)}, ${counted(before.rules, "rule")} became ${numberText(after.rules)}`;
  const { pods } = verification.here;
  const here = `every verdict about the ${counted(pods, "pod")} is the same: among them, with nodes, and with external addresses`;
  return [style.good(`✓ ${became}`), ...(pods === 0 ? [] : [`  ${here}`]), ...everywhereLines(found, style)];
}

function everywhereLines({ verification }: Minimization, { unsure }: Style): readonly string[] {
  const { everywhere } = verification;
  switch (everywhere.result) {
    case "Same":
      return ["  the policies are the same in every cluster, also in those that do not exist yet"];
    case "NotDecided":
      return [unsure(`  ? in every cluster: not decided; ${everywhere.why}`)];
    case "Different":
      return [
        unsure("  ! verified for the cluster of the input only; --everywhere keeps what other clusters need"),
        ...differenceLines(everywhere, { before: "before", after: "after" }).map((line) => `    ${line}`),
      ];
  }
}

function changeLines({ origins, draft, steps }: Unit, { bold, dim }: Style): readonly string[] {
  const { policy } = origins[0]!;
  const place = policy.place();
  const where = place === undefined ? "" : dim(` ${place.file}:${place.line}`);
  return [
    `${bold(formatPolicy(policy))}${where}${draft === undefined ? " (removed)" : ""}`,
    ...steps.map((step) => `  - ${stepText(step, policy)}`),
  ];
}

function stepText({ kind, policy, rule, merged = [], why }: Step, owner: Step["policy"]): string {
  const of = policy === owner ? "" : ` of ${formatPolicy(policy)}`;
  const what = `${rule}${of}`;
  switch (kind) {
    case "remove-rule":
      return `removed ${what}: ${why}`;
    case "remove-policy":
      return `removed${of}: ${why}`;
    case "merge-rules":
      return `merged ${merged.join(", ")} into ${what}: ${why}`;
    case "merge-entries":
      return `shortened ${what}: ${why}`;
    case "merge-policies":
      return `merged ${merged.join(", ")} into it: ${why}`;
  }
}

function obstacleLines(obstacle: Obstacle): readonly string[] {
  if (obstacle.kind === "changed here") {
    const { changedPairs, examples } = obstacle.proof;
    const shown = examples
      .slice(0, 1)
      .map(
        ({ source, destination, before, after }) =>
          `  ${formatEndpoint(source)} → ${formatEndpoint(destination)}: ${before} → ${after}`,
      );
    return [`! ${counted(changedPairs, "pair")} of this cluster would get a different verdict`, ...shown];
  }
  const { equality } = obstacle;
  if (equality.result === "NotDecided") return [`? not decided: ${equality.why}`];
  return [
    "! not the same in every cluster",
    ...differenceLines(equality, { before: "before", after: "after" }),
  ];
}

const mostLeft = 10;

function leftAloneLines(left: Minimization["leftAlone"], { dim }: Style): readonly string[] {
  if (left.length === 0) return [];
  const more = left.length - mostLeft;
  return [
    "",
    `Left as ${left.length === 1 ? "it is" : "they are"}:`,
    ...left.slice(0, mostLeft).map(({ policy, why }) => `  ${formatPolicy(policy)}: ${why}`),
    ...(more > 0 ? [dim(`  … and ${more} more (-o json lists all)`)] : []),
  ];
}
