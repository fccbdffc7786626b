import type { LabelMatch } from "../../labels/requirement.js";
import { directions, type PodSelection, type RuleOrigin } from "../../policy/model.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import { type Draft, draftsOf, type NamespacedDraft, rulesOf } from "./draft.js";
import type { Findings } from "./findings.js";
import { inEachNamespace, itIsolates, notIsolatedIn } from "./isolation.js";

/*
 * A ClusterDefaultNetworkPolicy (S6.5) allows, and isolates the directions it has. For egress that is a baseline of allows and
 * a deny of everything. For ingress it is not, as a cluster-wide policy cannot deny what comes from outside: there it becomes
 * NetworkPolicies, for the pods that none isolates (S6.6).
 */
export interface DefaultDrafts {
  readonly allow: readonly Draft[];
  readonly deny: readonly Draft[];
  readonly namespaced: readonly NamespacedDraft[];
}

export function defaultDrafts(definition: PolicyDefinition, state: State, findings: Findings): DefaultDrafts {
  const { lowered, policy } = definition;
  const [ingress, egress] = directions.map((one) =>
    lowered.isolation.find(({ direction }) => direction === one),
  );
  const isEgress = ({ rule }: (typeof lowered.rules)[number]) => rule.origin.direction === "egress";
  const allow = draftsOf(definition, isEgress, ["allow"]);
  const denyTo = (subject: PodSelection): Draft => ({
    definition,
    suffixes: allow.length === 0 ? [] : ["deny"],
    subject,
    rules: { ingress: [], egress: [denyAll(policyOrigin(definition))] },
    remarks: [`What no policy allows to the pods of ${policy.kind} ${policy.name}.`],
  });
  const deny = egress === undefined ? [] : [denyTo(egress.subject)];
  if (ingress === undefined) return { allow, deny, namespaced: [] };
  const rules = rulesOf(
    definition,
    lowered.rules.filter((placed) => !isEgress(placed)),
  );
  const { subject } = ingress;
  const namespaced = inEachNamespace(
    { definition, suffixes: [], subject, rules: { ingress: rules.ingress }, why: itIsolates },
    state.cluster,
    findings,
    (namespace): readonly LabelMatch[] => {
      // S6.6
      const tiers = state.tiers.ingress.filter(({ name }) => name === "network-policy");
      const selectors = notIsolatedIn(namespace, subject.pods, tiers);
      if (selectors !== undefined) return selectors;
      findings.refusePolicy(
        policy,
        `this policy is for the pods of \`${namespace.name}\` that no NetworkPolicy selects, and the NetworkPolicies there select pods in too many different ways`,
      );
      return [];
    },
  );
  return { allow, deny, namespaced };
}

const denyAll = (origin: RuleOrigin): Draft["rules"]["egress"][number] => ({
  name: "isolation",
  action: "Deny",
  peers: [{ what: { kind: "everything" }, from: undefined }],
  ports: "every",
  origin,
});

/** The origin of an implicit rule: the whole direction represents it. */
function policyOrigin({ policy }: PolicyDefinition): RuleOrigin {
  return { policy, direction: "egress", index: 0, path: "spec.egress", place: policy.place };
}
