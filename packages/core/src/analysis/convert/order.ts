import { compareRules } from "../../policy/assemble.js";
import type { PolicyDefinition, State } from "../../state/state.js";
import { ciliumDrafts } from "./cilium-rules.js";
import { type Draft, draftsOf, type NamespacedDraft, type OrderedTier, rulesOf } from "./draft.js";
import { Findings } from "./findings.js";
import { forEmpowered, guardrailsOf } from "./guardrails.js";
import { expandTenants } from "./tenants.js";
import type { LabelMatch } from "../../labels/requirement.js";
import { directions, type PodSelection, type RuleOrigin } from "../../policy/model.js";
import { inEachNamespace, itIsolates, notIsolatedIn } from "./isolation.js";

/** The contents of an ordered tier, from first to last: policies that stay, and slots for new ones. */
export type Standing =
  | { readonly kind: "kept"; readonly definition: PolicyDefinition; readonly priority: number }
  | NewStanding;

/** Drafts with one priority between them, as no pod is the subject of two. */
interface NewStanding {
  readonly kind: "new";
  readonly wanted: number;
  readonly drafts: readonly Draft[];
}

export interface Order {
  readonly tiers: Readonly<Record<OrderedTier, readonly Standing[]>>;
  readonly namespaced: readonly NamespacedDraft[];
}

/** The order in which all that is converted has to be evaluated, among what is not. */
export function orderOf(state: State, converted: ReadonlySet<PolicyDefinition>, findings: Findings): Order {
  const slotsOf = <Part extends string>(
    parts: readonly Readonly<Record<Part, readonly Draft[]>>[],
    part: Part,
    wanted: number,
  ): readonly NewStanding[] =>
    parts
      .flatMap((drafts) => drafts[part])
      .flatMap((draft) => expandTenants(draft, state.cluster, findings))
      .map((together) => ({ kind: "new", wanted, drafts: together }));
  const chosen = state.definitions.filter((definition) => converted.has(definition));

  const inTier = (tier: OrderedTier): readonly Standing[] =>
    definitionsIn(state, tier).flatMap(({ definition, precedence }): readonly Standing[] =>
      converted.has(definition)
        ? slotsOf([{ all: draftsOf(definition, () => true) }], "all", precedence)
        : [{ kind: "kept", definition, priority: precedence }],
    );
  const admin = inTier("admin");

  const guardrails = chosen.filter(({ policy }) => policy.dialect === "first-draft").map(guardrailsOf);
  const empower = slotsOf(guardrails, "empower", 0);
  const deny = slotsOf(guardrails, "deny", 0);
  const allow = slotsOf(guardrails, "allow", 0);
  const later =
    empower.length === 0 ? [] : [...allow, ...admin].flatMap((standing) => draftsIn(standing, state));
  const empowered = later.flatMap((draft) =>
    empower
      .flatMap((standing) => standing.drafts)
      .flatMap((other) => forEmpowered(draft, other, findings) ?? [])
      .map((met): Standing => ({ kind: "new", wanted: 0, drafts: [met] })),
  );

  const cilium = chosen
    .filter(({ policy }) => policy.dialect === "cilium")
    .map((definition) => ciliumDrafts(definition, state, findings));
  const defaults = chosen
    .filter(({ policy }) => policy.kind === "ClusterDefaultNetworkPolicy")
    .map((definition) => defaultDrafts(definition, state, findings));
  const last = 1000;
  return {
    tiers: {
      admin: [
        ...empowered,
        ...empower,
        ...deny,
        ...allow,
        ...admin,
        ...slotsOf(cilium, "deny", last),
        ...slotsOf(cilium, "allow", last),
      ],
      baseline: [
        ...slotsOf(cilium, "baseline", 0),
        ...inTier("baseline"),
        ...slotsOf(defaults, "allow", last),
        ...slotsOf(defaults, "deny", last),
      ],
    },
    namespaced: [...cilium, ...defaults].flatMap((drafts) => drafts.namespaced),
  };
}

/** Of policies that stay, too: what they say about empowered traffic has to be said before it is passed. */
function draftsIn(standing: Standing, { cluster }: State): readonly Draft[] {
  if (standing.kind === "new") return standing.drafts;
  const drafts = draftsOf(standing.definition, () => true);
  return drafts.flatMap((draft) => expandTenants(draft, cluster, new Findings()).flat());
}

/** The policies with rules in an ordered tier, in the order of evaluation (S1.12). */
function definitionsIn(
  { definitions }: State,
  tier: OrderedTier,
): readonly { readonly definition: PolicyDefinition; readonly precedence: number }[] {
  return definitions
    .flatMap((definition) => {
      const first = definition.lowered.rules.find((placed) => placed.tier === tier);
      return first === undefined ? [] : [{ definition, first, precedence: first.precedence }];
    })
    .toSorted((a, b) => compareRules(a.first, b.first));
}

/*
 * A ClusterDefaultNetworkPolicy (S6.5) allows, and isolates the directions it has. For egress that is a baseline of allows and
 * a deny of everything. For ingress it is not, as a cluster-wide policy cannot deny what comes from outside: there it becomes
 * NetworkPolicies, for the pods that none isolates (S6.6).
 */
interface DefaultDrafts {
  readonly allow: readonly Draft[];
  readonly deny: readonly Draft[];
  readonly namespaced: readonly NamespacedDraft[];
}

function defaultDrafts(definition: PolicyDefinition, state: State, findings: Findings): DefaultDrafts {
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
