import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { countsOf, grouped } from "../collections/maps.js";
import { firstOf, formatCounts } from "../diagnostics/summary.js";
import { type ForeignObject, isFilter } from "../foreign/object.js";
import type { PolicyRef } from "../policy/model.js";

/** Remarks about policy APIs that are not evaluated, one per API group (S9.3, S9.6). */
export function foreignRemarks(
  objects: readonly ForeignObject[],
  ignored: readonly ForeignObject[],
): readonly Diagnostic[] {
  const isCaveat = (object: ForeignObject) =>
    object.kind.effect.kind === "l7" || (object.scope.nodes && !isFilter(object));
  const others = objects.filter((object) => !isFilter(object) && !isCaveat(object));
  return [
    ...byGroup(objects.filter(isFilter)).map(notEvaluated),
    ...byGroup(objects.filter(isCaveat)).map(onlyCaveat),
    ...byGroup(ignored).map(isIgnored),
    ...(others.length === 0 ? [] : [withoutEffect(others)]),
  ];
}

type Group = readonly [ForeignObject, ...ForeignObject[]];

const byGroup = (objects: readonly ForeignObject[]): readonly Group[] => [
  ...grouped(objects, ({ kind }) => kind.group).values(),
];

function notEvaluated(objects: Group): Diagnostic {
  const [{ kind, policy }] = objects;
  const [is, them] = objects.length === 1 ? ["is", "it"] : ["are", "them"];
  const message = `${listed(objects)} ${is} not evaluated: verdicts that may depend on ${them} are Undecided`;
  return diagnostic("TW2026", message, {
    place: policy.place(),
    hint: `If ${objects.length === 1 ? "it is" : "they are"} not enforced, exclude ${them} with \`--ignore-api ${kind.group}\`.`,
  });
}

function onlyCaveat(objects: Group): Diagnostic {
  const [{ scope, policy }] = objects;
  const [is, they] = objects.length === 1 ? ["is", "it"] : ["are", "they"];
  const where = scope.nodes ? "nodes" : "connections";
  return diagnostic(
    "TW3007",
    `${listed(objects)} ${is} not evaluated: answers about ${where} that ${they} may affect have a caveat`,
    { place: policy.place() },
  );
}

function isIgnored(objects: Group): Diagnostic {
  const asked = `as \`--ignore-api ${objects[0].kind.group}\` asks`;
  return diagnostic("TW3008", `${listed(objects)} ${objects.length === 1 ? "is" : "are"} ignored, ${asked}`);
}

function withoutEffect(objects: readonly ForeignObject[]): Diagnostic {
  const counts = countsOf(objects.map(({ kind }) => `${kind.product} ${kind.kind}`));
  const message = `objects without a direct effect on traffic: ${formatCounts(counts)}`;
  return diagnostic("TW3009", message);
}

/** `Calico GlobalNetworkPolicy guard, NetworkPolicy shop/web and 3 more`. */
function listed(objects: Group): string {
  const names = objects.map(({ policy: { kind, namespace, name } }) => {
    const called = namespace === undefined ? name : `${namespace}/${name}`;
    return `${kind} \`${called}\``;
  });
  return `${objects[0].kind.product} ${firstOf(names, 3)}`;
}

/** Under which name and kind Calico's API server lists a policy of Kubernetes a second time, as one of its own. */
const derived: readonly {
  readonly kind: "NetworkPolicy" | "GlobalNetworkPolicy";
  readonly prefix: string;
  readonly of: string;
}[] = [
  { kind: "NetworkPolicy", prefix: "knp.default.", of: "NetworkPolicy" },
  { kind: "GlobalNetworkPolicy", prefix: "kanp.adminnetworkpolicy.", of: "AdminNetworkPolicy" },
  {
    kind: "GlobalNetworkPolicy",
    prefix: "kbanp.baselineadminnetworkpolicy.",
    of: "BaselineAdminNetworkPolicy",
  },
  { kind: "GlobalNetworkPolicy", prefix: "kcnp.kube-admin.", of: "ClusterNetworkPolicy" },
  { kind: "GlobalNetworkPolicy", prefix: "kcnp.kube-baseline.", of: "ClusterNetworkPolicy" },
];

/** Whether it repeats a policy that is evaluated here. Only if the original is there: the same name is not enough. */
export function isDerived({ kind, policy }: ForeignObject, policies: readonly PolicyRef[]): boolean {
  if (kind.group !== "projectcalico.org") return false;
  return derived.some(
    ({ kind: copy, prefix, of }) =>
      kind.kind === copy &&
      policies.some(
        ({ kind: original, name, namespace }) =>
          original === of && policy.name === prefix + name && policy.namespace === namespace,
      ),
  );
}
