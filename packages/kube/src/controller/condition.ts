import type { JsonObject } from "@tierwall/core/manifest";
import type { PolicyRef } from "@tierwall/core/model";
import { objectsAt, textAt } from "../cluster/object-fields.js";

const conditionTypes = [
  "Accepted",
  "Programmed",
  "Conflicted",
  "Shadowed",
  // Only there while it is True.
  "ForeignPolicies",
  // Of guarantees.
  "Holds",
] as const;
type ConditionType = (typeof conditionTypes)[number];

/** An object with a status that we write: a policy of the cluster, or a guarantee. */
export type Reported = Pick<PolicyRef, "group" | "version" | "kind" | "namespace" | "name" | "stored">;

/** One statement about a policy. */
export interface Condition {
  readonly type: ConditionType;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  /** The version of the policy that it is about. */
  readonly observedGeneration: number;
}

/** The same, without the version that it is about. */
export type Statement = Omit<Condition, "observedGeneration">;

/** A condition of an object in the cluster. */
export interface StoredCondition extends Condition {
  /** When `status` became what it is. */
  readonly lastTransitionTime: string;
}

/** Whether policies of this kind have a status to write conditions to: those of NetworkPolicies and of Cilium belong to other programs. */
export const hasConditions = ({ dialect }: Pick<PolicyRef, "dialect">): boolean =>
  dialect !== "network-policy" && dialect !== "cilium";

/** Conditions of our types that an object has, whichever program wrote them. */
export function conditionsOn(object: JsonObject): readonly StoredCondition[] {
  return objectsAt(object, "status", "conditions").flatMap((found) => {
    const type = conditionTypes.find((one) => one === found.type);
    if (type === undefined) return [];
    return {
      type,
      status: found.status === "True" || found.status === "False" ? found.status : "Unknown",
      reason: textAt(found, "reason"),
      message: textAt(found, "message"),
      observedGeneration: typeof found.observedGeneration === "number" ? found.observedGeneration : 0,
      lastTransitionTime: textAt(found, "lastTransitionTime"),
    };
  });
}

/** With their times: that of the stored one, as long as the status stays. */
export function dated(
  wanted: readonly Condition[],
  stored: readonly StoredCondition[],
  now: Date,
): readonly StoredCondition[] {
  return wanted.map((condition) => {
    const known = stored.find(({ type }) => type === condition.type);
    const isKept = known?.status === condition.status && known.lastTransitionTime !== "";
    return { ...condition, lastTransitionTime: isKept ? known.lastTransitionTime : seconds(now) };
  });
}

/** API servers keep no fractions of a second here. */
const seconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** What follows it in a message is one of many possible examples: for another one, nothing is written. */
export const exampleMark = "; for example ";

export const withoutExample = (message: string): string => message.split(exampleMark)[0]!;

export function sameConditions(wanted: readonly Condition[], stored: readonly StoredCondition[]): boolean {
  return (
    wanted.length === stored.length &&
    wanted.every((condition) => {
      const known = stored.find(({ type }) => type === condition.type);
      return known !== undefined && contentOf(known) === contentOf(condition);
    })
  );
}

const contentOf = ({ status, reason, message, observedGeneration }: Condition): string =>
  JSON.stringify([status, reason, withoutExample(message), observedGeneration]);
