import type { Connection, Verdict } from "@tierwall/core";
import type { DirectionReason, Reason } from "@tierwall/core/analysis";
import type { Decider } from "@tierwall/core/engine";
import { type Endpoint, formatEndpoint, type PolicyRef, type TierName } from "@tierwall/core/model";
import { deciderText, portGroupsText } from "@tierwall/core/report";
import { type AskedPort, askedOf } from "./asked-port.js";
import type { HeldMatrix } from "./held-matrix.js";
import { type PolicyView, policyView, type RuleView, ruleView } from "./policy-view.js";

/** Why two parties can or cannot connect, for one representative pair of their pods. */
export interface ReasonView {
  readonly source: string;
  readonly destination: string;
  readonly egress: readonly ReasonPart[];
  readonly ingress: readonly ReasonPart[];
}

/** Ports about which the same decide. */
export interface ReasonPart {
  readonly ports: string;
  readonly verdict: Verdict;
  readonly by: readonly DeciderView[];
}

export interface DeciderView {
  readonly tier?: TierName;
  /** `NetworkPolicy shop/allow-web rule 1`, `isolated by …`, `default`. */
  readonly text: string;
  readonly rule?: RuleView;
  /** Policies that isolate. */
  readonly policies: readonly PolicyView[];
}

export function reasonViews(
  { reasons }: HeldMatrix,
  connection: Connection,
  port: AskedPort | undefined,
): readonly ReasonView[] {
  return reasons.of(connection).map((reason) => reasonView(reason, port));
}

function reasonView(
  { source, destination, egress, ingress }: Reason,
  port: AskedPort | undefined,
): ReasonView {
  return {
    source: endText(source),
    destination: endText(destination),
    egress: partsOf(egress, port),
    ingress: partsOf(ingress, port),
  };
}

const endText = (end: Endpoint): string => formatEndpoint(end);

function partsOf({ parts }: DirectionReason, port: AskedPort | undefined): readonly ReasonPart[] {
  return parts.flatMap(({ ports, said }) => {
    const asked = askedOf(ports, port);
    if (asked.length === 0) return [];
    return { ports: portGroupsText(asked), verdict: said.verdict, by: said.deciders.map(deciderView) };
  });
}

export function deciderView(by: Decider): DeciderView {
  switch (by.kind) {
    case "rule":
      return { tier: by.tier, text: deciderText(by), rule: ruleView(by.rule), policies: [] };
    case "isolation":
      return { tier: by.tier, text: deciderText(by), policies: by.isolation.flatMap(policyOf) };
    case "default":
    case "no-walk":
    case "own-address":
    case "own-node":
      return { text: deciderText(by), policies: [] };
  }
}

const policyOf = ({
  origin,
}: {
  readonly origin: { readonly kind: "policy"; readonly policy: PolicyRef } | { readonly kind: "option" };
}): readonly PolicyView[] => (origin.kind === "policy" ? [policyView(origin.policy)] : []);
