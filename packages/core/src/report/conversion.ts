import type { Conversion } from "../analysis/convert/convert.js";
import { type ChangedExample, isProven, type Proof } from "../analysis/convert/proof.js";
import type { PortSetId, PortSets } from "../sets/port-sets.js";
import type { DirectionExplanation } from "../engine/index.js";
import { firstOf } from "../diagnostics/summary.js";
import { formatEndpoint } from "../evaluate/flow.js";
import { formatPolicy } from "../policy/model.js";
import {
  apiVersion,
  endpointJson,
  type JsonFields,
  policyJson,
  portRanges,
} from "./explanation/explanation-json.js";
import { deciderText } from "./explanation/rule-text.js";
import { differenceLines as elsewhereLines, resultJson } from "./proofs/equality.js";
import { type Style, wrap } from "./style.js";
import { counted } from "./wording.js";

/** The report of a conversion, without the policies themselves. Refusals are diagnostics. */
export function conversionText(conversion: Conversion, style: Style): string {
  return [
    ...headline(conversion, style),
    ...remarks(conversion),
    ...elsewhere(conversion, style),
    ...differences(conversion, style),
  ].join("\n");
}

function headline(
  { replaced, policies, refusals, proof }: Conversion,
  { good, bad, unsure }: Style,
): readonly string[] {
  if (refusals.length > 0)
    return [bad(`✗ refused for ${counted(refusals.length, "reason")}; nothing was written`)];
  if (replaced.length === 0)
    return [
      "there is nothing to convert: the input has no cluster-wide policies of other APIs, and NetworkPolicies stay as they are",
    ];
  const became = `${counted(replaced.length, "policy")} became ${policies.length}`;
  if (proof === undefined) return [became];
  if (proof.pods === 0)
    return [
      unsure(`? NOT PROVEN: ${became}, but the input has no pods, so no verdicts could be compared`),
      "  Include the cluster: kubectl get namespaces,pods,nodes -A -o yaml",
    ];
  if (!isProven(proof))
    return [
      bad(
        `✗ not proven: ${became}, but ${counted(proof.changedPairs, "pair")} would get a different verdict on ` +
          portsText(proof.changedPorts, proof.ports),
      ),
    ];
  const among = "among them, with nodes, and with external addresses";
  return [
    good(
      `✓ proven: ${became}, and every verdict about the ${counted(proof.pods, "pod")} is the same: ${among}`,
    ),
    wrap("  replaced: ", firstOf(replaced.map(formatPolicy), mostShown), "    "),
  ];
}

function remarks(conversion: Conversion): readonly string[] {
  return conversion.remarks.map((text) => wrap("  · ", text, "    "));
}

/** Whether the same holds of clusters that do not exist yet. */
function elsewhere({ proof }: Conversion, { good, unsure }: Style): readonly string[] {
  const everywhere = proof?.everywhere;
  switch (everywhere?.result) {
    case undefined:
      return [];
    case "Same":
      return [good("  ✓ the policies are the same in every cluster, also in those that do not exist yet")];
    case "NotDecided":
      return [unsure(`  ? in every cluster: not decided; ${everywhere.why}`)];
    case "Different":
      return [
        unsure(
          `  ! ${proof?.pods === 0 ? "not the same in every cluster" : "proven for the input cluster only, not for every cluster"}`,
        ),
        ...elsewhereLines(everywhere, { before: "before", after: "after" }).map((line) => `    ${line}`),
      ];
  }
}

function differences({ proof }: Conversion, { dim }: Style): readonly string[] {
  if (proof === undefined || proof.changedPairs === 0) return [];
  const shown = proof.examples.slice(0, mostShown);
  const covered = shown.reduce((sum, example) => sum + example.pairs, 0);
  const rest = proof.changedPairs - covered;
  return [
    "",
    ...shown.flatMap((example) => differenceLines(example, proof, dim)),
    ...(rest > 0 ? [`  … and ${counted(rest, "pair")} more (-o json lists more of them)`] : []),
  ];
}

const mostShown = 8;

function differenceLines(example: ChangedExample, { ports }: Proof, dim: Style["dim"]): readonly string[] {
  const { source, destination, before, after, pairs, decidedBefore, decidedAfter } = example;
  const alike = pairs === 1 ? "" : dim(` (and ${counted(pairs - 1, "pair")} like it)`);
  const decider = (explained: typeof decidedBefore, verdict: string): string => {
    const denying = [explained.egress, explained.ingress].find(
      (part) => part.verdict === verdict && verdict !== "Allow",
    );
    return [
      ...new Set((denying ? [denying] : [explained.egress, explained.ingress]).flatMap(decidersOf)),
    ].join("; ");
  };
  return [
    `  ${formatEndpoint(source)} → ${formatEndpoint(destination)} ${portsText(example.ports, ports)}: ${before} → ${after}${alike}`,
    dim(`      before: ${decider(decidedBefore, before)}`),
    dim(`      after:  ${decider(decidedAfter, after)}`),
  ];
}

const decidersOf = ({ deciders }: DirectionExplanation): readonly string[] => deciders.map(deciderText);

const protocols = ["TCP", "UDP", "SCTP", "ICMP"] as const;

/** `80,443/TCP all UDP`. */
function portsText(id: PortSetId, ports: PortSets): string {
  const ofEach = protocols.flatMap((protocol) => {
    const ranges = ports.ranges(id, protocol);
    if (ranges.length === 0) return [];
    if (protocol === "ICMP") return [protocol];
    const text = portRanges(ranges);
    return text === "all" ? [`all ${protocol}`] : [`${text}/${protocol}`];
  });
  return ofEach.length === protocols.length && ofEach.every((text) => /^(all .*|ICMP)$/.test(text))
    ? "every port"
    : ofEach.join(" ");
}

/** The stable, versioned JSON of a conversion. */
export function conversionJson(conversion: Conversion): JsonFields {
  const { to, replaced, policies, refusals, proof } = conversion;
  return {
    apiVersion,
    kind: "Conversion",
    to,
    proven: proof === undefined ? undefined : isProven(proof),
    replaced: replaced.map(policyJson),
    policies: policies.map(({ value }) => value),
    remarks: conversion.remarks,
    refusals: refusals.map(({ code, object, message, hint, place }) => ({
      code,
      object,
      message,
      hint,
      file: place?.file,
      line: place?.line,
    })),
    ...(proof === undefined ? {} : { pods: proof.pods, changedPairs: proof.changedPairs }),
    everywhere: proof?.everywhere && resultJson(proof.everywhere),
    differences: proof?.examples.map((example) => ({
      from: endpointJson(example.source),
      to: endpointJson(example.destination),
      ports: protocols.flatMap((protocol) => {
        const ranges = proof.ports.ranges(example.ports, protocol);
        if (ranges.length === 0) return [];
        return [{ protocol, ports: protocol === "ICMP" ? undefined : portRanges(ranges) }];
      }),
      before: example.before,
      after: example.after,
      pairs: example.pairs,
    })),
  };
}
