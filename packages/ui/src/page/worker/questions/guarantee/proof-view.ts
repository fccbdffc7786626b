import type { Diagnostic } from "@tierwall/core";
import type { GuaranteeResult, Proof } from "@tierwall/core/prove";
import { formatAddress, type Isolation, type Rule } from "@tierwall/core/model";
import type { Decider } from "@tierwall/core/engine";
import { type PlaceView, placeView, type PolicyView, policyView, ruleView } from "../policy-view.js";
import { type FrameView, frameView } from "./frame-view.js";

/** The result of a guarantee, ready to be shown. */
export type ProofView =
  | { readonly result: "Proven"; readonly restsOn: readonly PartView[]; readonly unneeded: readonly string[] }
  | { readonly result: "Refuted"; readonly counterexample: CounterexampleView }
  /** `seconds`: the time that was not enough; absent where time was not the reason. */
  | { readonly result: "NotDecided"; readonly why: string; readonly seconds?: number }
  | { readonly result: "Vacuous"; readonly contradicting: readonly string[] }
  /** It could not be proven or refuted, because of these errors. */
  | { readonly result: "NotAsked"; readonly problems: readonly FrameView[] };

export type ResultName = ProofView["result"];

/** A rule or an isolation that a proof rests on, or that decides; without a policy there is no link to it. */
export interface PartView {
  readonly title: string;
  readonly policy?: PolicyView;
  /** As the page Policies calls it. */
  readonly rule?: string;
  readonly place?: PlaceView;
}

/** A cluster of two endpoints in which the guarantee does not hold. */
export interface CounterexampleView {
  readonly from: EndView;
  readonly to: EndView;
  /** `80/TCP`, `ICMP`. */
  readonly port: string;
  /** What the destination calls the port. */
  readonly portNames: readonly string[];
  readonly isAllowed: boolean;
  readonly egress: DecisionView;
  readonly ingress: DecisionView;
  /** Statements that hold in this cluster and that no manifest can express. */
  readonly facts: readonly string[];
  readonly essential: readonly string[];
  readonly incidental: readonly string[];
  readonly manifests: string;
  readonly question: { readonly from: string; readonly to: string; readonly port: string };
  /** Policies of the input that this cluster does not have, because their owners may delete them. */
  readonly drops: { readonly networkPolicies: boolean; readonly ciliumNetworkPolicies: boolean };
}

export interface EndView {
  readonly kind: Witness["source"]["kind"];
  /** As questions call it. */
  readonly ref: string;
  readonly labels: readonly string[];
  readonly namespace?: { readonly name: string; readonly labels: readonly string[] };
  /** Of its node, where it is a node or in the network of one. */
  readonly nodeLabels: readonly string[];
  readonly account?: string;
  readonly address?: string;
}

export interface DecisionView {
  readonly verdict: "Allow" | "Deny";
  /** The parts of policies that decide; empty where no policy does. */
  readonly by: readonly PartView[];
  /** `by default`, where no policy decides. */
  readonly why?: string;
  readonly conditions: readonly string[];
  /** Whether the owner of the namespace wrote the policy that decides, as part of the counterexample. */
  readonly isOwners: boolean;
}

type Refuted = Extract<Proof, { readonly result: "Refuted" }>;
type Witness = Refuted["counterexample"]["witness"];

export interface ProofContext {
  readonly textOf: (file: string) => string | undefined;
  /** The time that there was, in seconds, if all of it was used. */
  readonly exhausted?: number;
}

export function proofView(
  { guarantee, proof, unneeded, diagnostics }: GuaranteeResult,
  { textOf, exhausted }: ProofContext,
): ProofView {
  if (proof === undefined)
    return { result: "NotAsked", problems: diagnostics.map((each) => frameView(each, textOf)) };
  switch (proof.result) {
    case "Proven":
      return {
        result: "Proven",
        restsOn: proof.restsOn.map(partView),
        unneeded: unneeded.map(({ text }) => text),
      };
    case "Refuted":
      return { result: "Refuted", counterexample: counterexampleView(proof, guarantee.claim.whatever) };
    case "NotDecided":
      return {
        result: "NotDecided",
        why: proof.why,
        ...(exhausted === undefined ? {} : { seconds: exhausted }),
      };
    case "Vacuous":
      return { result: "Vacuous", contradicting: proof.contradicting.map(({ text }) => text) };
  }
}

export const problemsView = (
  diagnostics: readonly Diagnostic[],
  textOf: ProofContext["textOf"],
): readonly FrameView[] => diagnostics.map((each) => frameView(each, textOf));

function counterexampleView(
  { counterexample, essential, incidental }: Refuted,
  {
    networkPolicies,
    ciliumNetworkPolicies = networkPolicies,
  }: GuaranteeResult["guarantee"]["claim"]["whatever"],
): CounterexampleView {
  const { witness, decisions, facts, manifests } = counterexample;
  const { source, destination, protocol, port, portNames } = witness;
  const [from, to] = [source, destination].map(endView) as [EndView, EndView];
  const asked = protocol === "ICMP" ? "ICMP" : `${port}/${protocol}`;
  const [egress, ingress] = [decisionView(decisions.egress), decisionView(decisions.ingress)];
  return {
    from,
    to,
    port: asked,
    portNames,
    isAllowed: egress.verdict === "Allow" && ingress.verdict === "Allow",
    egress,
    ingress,
    facts: facts.filter(({ answer }) => answer).map(({ text }) => text.replace(/^whether /, "")),
    essential,
    incidental,
    manifests,
    question: { from: from.ref, to: to.ref, port: asked },
    drops: {
      networkPolicies: networkPolicies === "anything",
      ciliumNetworkPolicies: ciliumNetworkPolicies === "anything",
    },
  };
}

function endView(end: Witness["source"]): EndView {
  const { kind, name, namespace, namespaceLabels, labels, nodeLabels, account, address } = end;
  const written = formatAddress(address);
  const ref = { external: written, node: `node:${name}`, pod: "", "host-network pod": "" }[kind];
  return {
    kind,
    ref: ref === "" ? `${namespace}/${name}` : ref,
    labels: labelTexts(labels),
    ...(kind === "pod" ? { namespace: { name: namespace, labels: labelTexts(namespaceLabels) } } : {}),
    nodeLabels: labelTexts(nodeLabels),
    ...(kind === "pod" && account !== "default" ? { account } : {}),
    ...(kind === "external" || !end.isUsualAddress ? { address: written } : {}),
  };
}

const labelTexts = (labels: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`);

function decisionView({
  verdict,
  by,
  conditions,
}: Refuted["counterexample"]["decisions"]["egress"]): DecisionView {
  const parts = partsOf(by);
  return {
    verdict,
    by: parts.map(partView),
    ...(parts.length === 0 ? { why: reasons[by.kind] } : {}),
    conditions,
    isOwners: parts.some(isOwners),
  };
}

const reasons: Readonly<Record<Decider["kind"], string>> = {
  rule: "",
  isolation: "",
  default: "by default: no rule matches",
  "no-walk": "because policies do not apply to this endpoint",
  "own-node": "because a node always reaches the pods that run on it",
  "own-address": "because a pod always reaches itself",
};

function partsOf(by: Decider): readonly (Rule | Isolation)[] {
  if (by.kind === "rule") return [by.rule];
  return by.kind === "isolation" ? by.isolation : [];
}

/** The file that a counterexample is read from: a policy in it is one that an owner could write. */
const counterexampleFile = "counterexample.yaml";

function isOwners(part: Rule | Isolation): boolean {
  const origin = "action" in part ? part.origin : part.origin.kind === "policy" ? part.origin : undefined;
  return origin?.policy.place()?.file === counterexampleFile;
}

function partView(part: Rule | Isolation): PartView {
  if ("action" in part) {
    const { title, policy, path } = ruleView(part);
    return isOwners(part) ? { title } : { title, policy, rule: path, ...placeView(part.origin.place()) };
  }
  if (part.origin.kind === "option") return { title: part.origin.option };
  const policy = policyView(part.origin.policy);
  const title = `${policy.title}, which isolates the pod`;
  return isOwners(part) ? { title } : { title, policy, ...placeView(part.origin.policy.place()) };
}
