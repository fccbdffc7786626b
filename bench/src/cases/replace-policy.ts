import type { State } from "@tierwall/core/state";
import type { Tiers } from "./narrowed.js";

type Tier = Tiers["ingress"][number];
type Rule = Tier["rules"][number];
type Isolation = Tier["isolation"][number];
type Policy = State["policies"][number];

/** The tiers with one policy in another version, everything else being the very same objects in the same order. */
export function replacePolicy(tiers: Tiers, edited: State): Tiers {
  const [policy] = edited.policies;
  if (policy === undefined || edited.policies.length > 1) throw new Error("one policy is edited at a time");
  const replaced = (direction: keyof Tiers) =>
    tiers[direction].map((tier): Tier => {
      const now = edited.tiers[direction].find(({ name }) => name === tier.name);
      return {
        ...tier,
        rules: spliced(tier.rules, now?.rules ?? [], policy, policyOfRule),
        isolation: spliced(tier.isolation, now?.isolation ?? [], policy, policyOfIsolation),
      };
    });
  return { ingress: replaced("ingress"), egress: replaced("egress") };
}

const policyOfRule = ({ origin }: Rule): Policy => origin.policy;
const policyOfIsolation = ({ origin }: Isolation): Policy | undefined =>
  origin.kind === "policy" ? origin.policy : undefined;

/** What a policy contributes stands together. A policy that was not there before comes where its name belongs. */
function spliced<T>(
  before: readonly T[],
  now: readonly T[],
  policy: Policy,
  policyOf: (part: T) => Policy | undefined,
): readonly T[] {
  const isOld = (part: T) => isSame(policyOf(part), policy);
  const first = before.findIndex(isOld);
  if (first === -1 && now.length === 0) return before;
  const place = first === -1 ? before.findIndex((part) => isAfter(policyOf(part), policy)) : first;
  const rest = before.filter((part) => !isOld(part));
  return rest.toSpliced(place === -1 ? rest.length : place, 0, ...now);
}

function isSame(a: Policy | undefined, b: Policy): boolean {
  return a?.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function isAfter(a: Policy | undefined, b: Policy): boolean {
  if (a?.kind !== b.kind) return false;
  return a.name > b.name || (a.name === b.name && (a.namespace ?? "") > (b.namespace ?? ""));
}
