import { child, items } from "../cluster/fields.js";
import { isObject, type Json, type JsonObject } from "../manifest/document.js";

/** The AdminNetworkPolicy of policy.networking.k8s.io/v1alpha1 as released, or that of KEP-2091. */
export type AdminShape = "released" | "kep";

const shapes = ["released", "kep"] as const;

/** Field names that only one of the two shapes has, by their position. */
const words = {
  subject: {
    released: ["namespaces", "pods"],
    kep: ["namespaceSelector", "namespaceAndPodSelector"],
  },
  rule: { released: ["ports"], kep: ["l4Selector"] },
  peer: { released: ["pods", "nodes", "networks", "domainNames"], kep: ["namespacedPods"] },
  /** The value of a peer's `namespaces`: a selector as released, a namespace set in the KEP. */
  namespaces: {
    released: ["matchLabels", "matchExpressions"],
    kep: ["self", "notSelf", "namespaceSelector", "sameLabels", "notSameLabels"],
  },
} as const;

export const kepWords: readonly string[] = Object.values(words).flatMap(({ kep }) => kep);

/** S4.4: distinguished by the subject or, if that is not conclusive, by the field names of the rules. */
export function adminShapeOf(object: JsonObject): AdminShape {
  const spec = child(object, "spec");
  const bySubject = shapes.filter((shape) => countOf(words.subject[shape], spec.subject) > 0);
  if (bySubject.length === 1) return bySubject[0]!;
  const rules = [...items(spec, "ingress"), ...items(spec, "egress")];
  return votes(rules, "kep") > votes(rules, "released") ? "kep" : "released";
}

function votes(rules: readonly JsonObject[], shape: AdminShape): number {
  const peers = rules.flatMap((rule) => [...items(rule, "from"), ...items(rule, "to")]);
  return sum([
    ...rules.map((rule) => countOf(words.rule[shape], rule)),
    ...peers.map((peer) => countOf(words.peer[shape], peer)),
    ...peers.map((peer) => countOf(words.namespaces[shape], peer.namespaces)),
  ]);
}

/** How many of the keys are set; null counts as absent. */
function countOf(keys: readonly string[], value: Json | undefined): number {
  return isObject(value) ? keys.filter((key) => Object.hasOwn(value, key) && value[key] !== null).length : 0;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
