import { isObject } from "../src/manifest/document.js";
import type { PolicyDefinition } from "../src/state/state.js";
import { type Manifest, namespaceNames } from "./arbitrary/arbitrary-vocabulary.js";
import { stateOf } from "./arbitrary/scenario.js";
import { splitPolicy } from "./transform/split.js";

type Json = Readonly<Record<string, unknown>>;

/**
 * Policies in which owners plainly allow what L7 rules of some policies allow under a condition: a copy of one peer and one port
 * of them in every namespace, without the L7 rules (S7.7).
 */
export function waiversOf(policies: readonly Manifest[], roll: () => number): readonly PolicyDefinition[] {
  const items = policies.flatMap((policy) => {
    const split = splitPolicy(policy);
    const specs = [split.spec, ...(split.specs ?? [])].filter((spec) => isObject(spec));
    return specs.flatMap((spec) =>
      (["ingress", "egress"] as const).flatMap((direction) =>
        ((spec[direction] ?? []) as readonly Json[]).flatMap((item) =>
          plainItems(item).map((plain) => [direction, plain] as const),
        ),
      ),
    );
  });
  const chosen = items.filter(() => roll() % 8 > 0);
  return stateOf(
    chosen.flatMap(([direction, item], i) =>
      namespaceNames.map((namespace) => ({
        apiVersion: "cilium.io/v2",
        kind: "CiliumNetworkPolicy",
        metadata: { name: `owner-${i}`, namespace },
        spec: { endpointSelector: {}, [direction]: [item] },
      })),
    ),
  ).definitions;
}

/** Nothing where an item has no L7 rules. */
function plainItems(item: Json): readonly Json[] {
  const entries = (item.toPorts ?? []) as readonly Json[];
  const watched = entries.filter(({ rules }) => rules !== undefined).map(({ ports }) => ({ ports }));
  if (watched.length === 0) return [];
  const plain: Json = { ...item, toPorts: watched, authentication: { mode: "disabled" } };
  return [plain, anyNamespace(plain)];
}

/** S7.13: with a `reserved:` key, selectors of a namespaced policy are about every namespace, as in a clusterwide one. */
const anyNamespace = (item: Json): Json =>
  Object.fromEntries(
    Object.entries(item).map(([key, value]) =>
      /^(from|to)Endpoints$/.test(key) && Array.isArray(value)
        ? [
            key,
            value.map((selector: Json) => ({
              ...selector,
              matchExpressions: [
                ...((selector.matchExpressions ?? []) as readonly Json[]),
                { key: "reserved:health", operator: "DoesNotExist" },
              ],
            })),
          ]
        : [key, value],
    ),
  );
