import { formatAddress } from "../../net/address.js";
import { writeYaml } from "../../manifest/yaml/write-yaml.js";
import type { GuaranteeResult } from "../../prove/guarantee/index.js";
import type { Witness, WitnessEnd } from "../../prove/world/index.js";
import { connectivityTestKind } from "../../state/test-kind.js";

/** A counterexample as manifests, and a ConnectivityTest that fails as long as the guarantee does; undefined where there is none. */
export function writtenCounterexample({ guarantee, proof }: GuaranteeResult): string | undefined {
  if (proof?.result !== "Refuted") return undefined;
  const { witness, manifests } = proof.counterexample;
  const test = {
    ...connectivityTestKind,
    metadata: { name: guarantee.name },
    spec: {
      expect: [{ from: nameOf(witness.source), to: targetOf(witness), verdict: guarantee.claim.verdict }],
    },
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
