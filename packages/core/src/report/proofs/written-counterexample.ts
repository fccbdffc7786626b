import { formatAddress } from "../../net/address.js";
import { writeYaml } from "../../manifest/yaml/write-yaml.js";
import { admissionPolicyText, type GuaranteeResult } from "../../prove/guarantee/index.js";
import type { Confirmed, Witness, WitnessEnd } from "../../prove/world/index.js";
import { connectivityTestKind } from "../../state/test-kind.js";
import { admissionPolicyName, enforceable } from "./proofs-words.js";

/** A counterexample as manifests, and a ConnectivityTest that fails as long as the guarantee does; undefined where there is none. */
export function writtenCounterexample({ guarantee, proof }: GuaranteeResult): string | undefined {
  if (proof?.result !== "Refuted") return undefined;
  return written(proof.counterexample, guarantee.name, guarantee.claim.verdict);
}

/** The ValidatingAdmissionPolicies that keep the assumptions of a proof true; undefined where there are none. */
export function writtenAdmissionPolicies(result: GuaranteeResult): string | undefined {
  const texts = enforceable(result).flatMap(
    ({ assumption }, i) =>
      admissionPolicyText(assumption, admissionPolicyName(result.guarantee.name, i)) ?? [],
  );
  return texts.length === 0 ? undefined : texts.join("---\n");
}

/** A cluster, and a ConnectivityTest that expects a verdict in it. */
export function written({ witness, manifests }: Confirmed, name: string, verdict: "Allow" | "Deny"): string {
  const test = {
    ...connectivityTestKind,
    metadata: { name },
    spec: { expect: [{ from: nameOf(witness.source), to: targetOf(witness), verdict }] },
  };
  return `${manifests}---\n${writeYaml([{ value: test, comments: [] }])}`;
}

/** As questions name it. */
export function nameOf(end: WitnessEnd): string {
  switch (end.kind) {
    case "external":
      return formatAddress(end.address);
    case "node":
      return `node:${end.name}`;
    case "pod":
    case "host-network pod":
      return `${end.namespace}/${end.name}`;
  }
}

export function targetOf({ destination, protocol, port }: Witness): string {
  const name = nameOf(destination);
  const isIPv6 = destination.kind === "external" && destination.address.family === 6;
  return `${isIPv6 ? `[${name}]` : name}:${protocol === "ICMP" ? "ICMP" : `${port}/${protocol}`}`;
}
