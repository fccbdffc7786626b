import { foundOnce } from "../diagnostics/place.js";
import { visibleWithin } from "../diagnostics/visible.js";
import { isObject, type JsonObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { type Lowered, type PlacedRule, ranks } from "../policy/assemble.js";
import { formatPolicy, type Peer, type PolicyRef } from "../policy/model.js";
import type { ForeignKind } from "./kinds.js";
import { type ForeignScope, scopeOf } from "./scope.js";

/** An object of an API that Tierwall recognises and does not evaluate (S9.3). */
export interface ForeignObject {
  readonly kind: ForeignKind;
  readonly policy: PolicyRef;
  readonly object: ManifestObject;
  readonly scope: ForeignScope;
}

export function readForeign(kind: ForeignKind, object: ManifestObject): ForeignObject {
  const metadata = isObject(object.value.metadata) ? object.value.metadata : {};
  const written = nameIn(metadata, "namespace") ?? "default";
  const namespace = kind.scope === "Namespaced" ? written : undefined;
  const policy: PolicyRef = {
    dialect: "foreign",
    group: kind.group,
    version: shown(object.apiVersion.slice(object.apiVersion.indexOf("/") + 1)),
    kind: kind.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name: nameIn(metadata, "name") ?? "",
    annotations: {},
    place: foundOnce(() => object.document.placeOf(object.path)),
  };
  return { kind, policy, object, scope: scopeOf(kind, object.value, namespace) };
}

/** These APIs have no schema here, so nothing else checks what is in a name. */
function nameIn(metadata: JsonObject, field: "name" | "namespace"): string | undefined {
  const found = metadata[field];
  return typeof found === "string" ? shown(found) : undefined;
}

const shown = (text: string): string => visibleWithin(text, longestName);

/** No API server accepts a longer name. */
const longestName = 253;

/** `Calico GlobalNetworkPolicy guard`. */
export const formatForeign = ({ kind, policy }: ForeignObject): string =>
  `${kind.product} ${formatPolicy(policy)}`;

/** Whether an object can deny or allow packets of some pod. */
export const isFilter = ({ kind, scope }: ForeignObject): boolean =>
  kind.effect.kind === "l3-l4" && scope.subjects.length > 0 && scope.directions.length > 0;

/** S9.3: a rule for each direction, which may allow or deny whatever it matches. */
export function lowerForeign(objects: readonly ForeignObject[]): Lowered {
  return { rules: objects.flatMap(rulesOf), isolation: [] };
}

function rulesOf(object: ForeignObject): readonly PlacedRule[] {
  const { kind, policy, scope } = object;
  const { effect } = kind;
  if (effect.kind !== "l3-l4") return [];
  const condition = { kind: "foreign", object: formatForeign(object), group: kind.group } as const;
  return scope.directions.flatMap((direction) =>
    scope.subjects.map(
      (subject): PlacedRule => ({
        tier: "foreign",
        rank: ranks.only,
        precedence: 0,
        rule: {
          subject,
          peers: effect.reach === "every-address" ? everything : outsidePods,
          ports: "every",
          action: "Allow",
          condition,
          origin: { policy, direction, index: 0, path: "spec", place: policy.place },
        },
      }),
    ),
  );
}

const everything: readonly Peer[] = [{ kind: "everything" }];
/** Nodes, with the pods in their network, and external addresses. */
const outsidePods: readonly Peer[] = [
  { kind: "nodes", nodes: [] },
  { kind: "entity", entity: "world" },
];
