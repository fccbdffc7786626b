import type { GuaranteeResult, Proof } from "../../prove/guarantee/index.js";
import { caveatLines } from "../caveats.js";
import { placeText } from "../explanation/rule-text.js";
import { type Style, wrap } from "../style.js";
import {
  circumstances,
  connectionText,
  directionText,
  enforceable,
  essentialLines,
  partPlace,
  partText,
  type ResultName,
  resultName,
} from "./proofs-words.js";
import { nameOf, targetOf } from "./written-counterexample.js";

const headings: Readonly<Record<ResultName, string>> = {
  Proven: "✓ PROVEN  ",
  Refuted: "✗ REFUTED ",
  NotDecided: "? NOT DECIDED",
  Vacuous: "! VACUOUS ",
  NotAsked: "! NOT ASKED",
};

/** For a person. */
export function proofsText(results: readonly GuaranteeResult[], style: Style): string {
  const counts = new Map<ResultName, number>();
  for (const result of results) counts.set(resultName(result), (counts.get(resultName(result)) ?? 0) + 1);
  const words = {
    Proven: "proven",
    Refuted: "refuted",
    NotDecided: "not decided",
    Vacuous: "vacuous",
    NotAsked: "not asked",
  };
  const summary = Object.entries(words).flatMap(([name, word]) => {
    const count = counts.get(name as ResultName) ?? 0;
    return count > 0 || name === "Proven" || name === "Refuted" ? [`${count} ${word}`] : [];
  });
  return [...results.map((result) => resultText(result, style)), summary.join(", ")].join("\n\n");
}

function resultText(result: GuaranteeResult, style: Style): string {
  const { guarantee, proof, unneeded, caveats, diagnostics } = result;
  const name = resultName(result);
  const emphasise = name === "Proven" ? style.good : name === "Refuted" ? style.bad : style.unsure;
  const where = style.dim(`${guarantee.place.file}:${guarantee.place.line}`);
  const lines =
    proof === undefined
      ? diagnostics.map(({ message }) => message)
      : proofLines(proof, guarantee.claim.verdict);
  const assumed = guarantee.assuming.map(({ text }) => `assuming ${text}`);
  const remarks = [
    ...enforceable(result).map(({ assumption, expression }) =>
      wrap(
        "",
        `an API server can enforce that ${assumption.text} (--write saves the ValidatingAdmissionPolicy): ${expression}`,
        "  ",
        118,
      ),
    ),
    ...unneeded.map(({ text }) => `the proof does not need: ${text}`),
  ].flatMap((text) => text.split("\n"));
  return [
    `${emphasise(headings[name])} ${style.bold(guarantee.name)}  ${where}`,
    ...[...lines, ...assumed, ...remarks, ...caveatLines(caveats, style)].map((line) => `  ${line}`),
  ].join("\n");
}

function proofLines(proof: Proof, expected: "Allow" | "Deny"): readonly string[] {
  switch (proof.result) {
    case "Proven":
      return proof.restsOn.length === 0
        ? ["rests on no policy"]
        : proof.restsOn.map((part) => `rests on ${partText(part)}${placeText(partPlace(part))}`);
    case "Vacuous": {
      const contradicting = proof.contradicting.map(({ text }) => text);
      return [
        "No connection is meant by it, in any cluster: it says nothing.",
        ...(contradicting.length === 0 ? [] : [`Nothing fulfils: ${contradicting.join("; ")}`]),
      ];
    }
    case "NotDecided":
      return [proof.why];
    case "Refuted":
      return refutedLines(proof, expected);
  }
}

function refutedLines(
  { counterexample, essential, incidental }: Extract<Proof, { result: "Refuted" }>,
  expected: "Allow" | "Deny",
): readonly string[] {
  const { witness } = counterexample;
  return [
    `In this cluster the connection is ${expected === "Deny" ? "allowed" : "not allowed"}:`,
    `  ${connectionText(counterexample)}`,
    `egress:  ${directionText(counterexample, "egress")}`,
    `ingress: ${directionText(counterexample, "ingress")}`,
    ...circumstances([counterexample]),
    ...essentialLines({ essential, incidental }),
    `Reproduce: save it with --write DIR, then tierwall explain -f POLICIES -f DIR --from ${nameOf(witness.source)} --to '${targetOf(witness)}'`,
  ];
}
