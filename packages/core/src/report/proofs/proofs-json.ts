import type { GuaranteeResult } from "../../prove/guarantee/index.js";
import type { Confirmed, Witness, WitnessEnd } from "../../prove/world/index.js";
import { formatAddress } from "../../net/address.js";
import { caveatsJson } from "../caveats.js";
import { apiVersion, type JsonValue } from "../explanation/explanation-json.js";
import { directionText, enforceable, partPlace, partText, resultName } from "./proofs-words.js";

/** For machines: `kind: Proofs`. */
export function proofsJson(results: readonly GuaranteeResult[]): JsonValue {
  return { apiVersion, kind: "Proofs", guarantees: results.map(guaranteeJson) };
}

function guaranteeJson(result: GuaranteeResult): JsonValue {
  const { guarantee, proof, unneeded, caveats, diagnostics } = result;
  const { name, file, place, claim, assuming } = guarantee;
  return {
    name,
    file,
    line: place.line,
    verdict: claim.verdict,
    result: resultName(result),
    restsOn:
      proof?.result === "Proven"
        ? proof.restsOn.map((part) => ({
            text: partText(part),
            file: partPlace(part)?.file,
            line: partPlace(part)?.line,
          }))
        : undefined,
    counterexample: proof?.result === "Refuted" ? counterexampleJson(proof) : undefined,
    why: proof?.result === "NotDecided" ? proof.why : undefined,
    assuming: assuming.map(({ text }) => text),
    admissionPolicies: enforceable(result).map(({ assumption, expression }) => ({
      assumption: assumption.text,
      expression,
    })),
    unneededAssumptions: unneeded.map(({ text }) => text),
    contradicting: proof?.result === "Vacuous" ? proof.contradicting.map(({ text }) => text) : undefined,
    errors: diagnostics.map(({ code, message }) => ({ code, message })),
    caveats: caveatsJson(caveats),
  };
}

function counterexampleJson(
  proof: Extract<NonNullable<GuaranteeResult["proof"]>, { result: "Refuted" }>,
): JsonValue {
  const { witness, manifests } = proof.counterexample;
  return {
    ...connectionJson(witness),
    ...decisionsJson(proof.counterexample),
    manifests,
    essential: proof.essential,
    incidental: proof.incidental,
  };
}

export const connectionJson = (witness: Witness) => ({
  from: endJson(witness.source),
  to: endJson(witness.destination),
  port: witness.protocol === "ICMP" ? undefined : witness.port,
  protocol: witness.protocol,
  portNames: witness.portNames,
});

export const decisionsJson = (confirmed: Confirmed) => ({
  egress: directionText(confirmed, "egress"),
  ingress: directionText(confirmed, "ingress"),
  facts: confirmed.facts.map(({ text, answer }) => ({ text, answer })),
});

function endJson(end: WitnessEnd): JsonValue {
  const isPod = end.kind === "pod";
  return {
    kind: end.kind,
    namespace: isPod ? end.namespace : undefined,
    namespaceLabels: isPod ? end.namespaceLabels : undefined,
    name: end.kind === "external" ? undefined : end.name,
    labels: isPod ? end.labels : undefined,
    serviceAccount: isPod ? end.account : undefined,
    nodeLabels: end.kind === "node" || end.kind === "host-network pod" ? end.nodeLabels : undefined,
    address: formatAddress(end.address),
  };
}
