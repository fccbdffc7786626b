import { type ForeignKind, foreignKinds } from "@tierwall/core/manifest";
import { guaranteeKind, policyText, type WatchedKind, watchedKinds } from "./kinds.js";

/** Those that can change what becomes of traffic. The others would only be read to be ignored. */
const effects: ReadonlySet<ForeignKind["effect"]["kind"]> = new Set(["l3-l4", "l7", "host"]);

export const effectiveForeignKinds: readonly ForeignKind[] = foreignKinds.filter(({ effect }) =>
  effects.has(effect.kind),
);

/** Policies of other projects: read wherever they are served, in the version that the server prefers. */
export const foreignWatchedKinds: readonly WatchedKind[] = effectiveForeignKinds.map(
  ({ group, kind, plural, scope }) => ({
    kind,
    group,
    versions: [],
    plural,
    isNamespaced: scope === "Namespaced",
    isBuiltIn: false,
    isForeign: true,
    isOptional: true,
    keep: policyText,
  }),
);

/** Those among resources such as `globalnetworkpolicies.crd.projectcalico.org`. */
export const foreignAmong = (resources: readonly string[]): readonly ForeignKind[] =>
  effectiveForeignKinds.filter(({ plural, group }) => resources.includes(`${plural}.${group}`));

/** All that verdicts depend on. */
export const allKinds: readonly WatchedKind[] = [...watchedKinds, ...foreignWatchedKinds];

/** All that the controller reads. */
export const controllerKinds: readonly WatchedKind[] = [...allKinds, guaranteeKind];

/** `Calico GlobalNetworkPolicy`, each once: Calico serves the same kinds in two groups. */
export const namesOfForeign = (kinds: readonly Pick<ForeignKind, "product" | "kind">[]): string =>
  [...new Set(kinds.map(({ product, kind }) => `${product} ${kind}`))].join(", ");
