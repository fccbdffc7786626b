import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import type { Place } from "../diagnostics/place.js";
import { type ForeignObject, isFilter } from "../foreign/object.js";
import type { PolicyRef } from "../policy/model.js";

/** What the input holds of policy APIs that are not evaluated: a remark for each API group (S9.3, S9.6). */
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

function placeOf([first]: Group): { readonly place?: Place } {
  const place = first.policy.place();
  return place === undefined ? {} : { place };
}

type Group = readonly [ForeignObject, ...ForeignObject[]];

function byGroup(objects: readonly ForeignObject[]): readonly Group[] {
  const groups = new Map<string, [ForeignObject, ...ForeignObject[]]>();
  for (const object of objects) {
    const known = groups.get(object.kind.group);
    if (known === undefined) groups.set(object.kind.group, [object]);
    else known.push(object);
  }
  return [...groups.values()];
}

function notEvaluated(objects: Group): Diagnostic {
  const { group } = objects[0].kind;
  return diagnostic(
    "TW2026",
    `${listed(objects)} ${objects.length === 1 ? "is" : "are"} not evaluated: verdicts that may depend on ${objects.length === 1 ? "it" : "them"} are Undecided`,
    {
      ...placeOf(objects),
      hint: `If ${objects.length === 1 ? "it is" : "they are"} not in force, leave ${objects.length === 1 ? "it" : "them"} out with \`--ignore-api ${group}\`.`,
    },
  );
}

function onlyCaveat(objects: Group): Diagnostic {
  const where = objects[0].scope.nodes ? "nodes" : "connections";
  return diagnostic(
    "TW3007",
    `${listed(objects)} ${objects.length === 1 ? "is" : "are"} not evaluated: answers about ${where} that ${objects.length === 1 ? "it" : "they"} may affect have a caveat`,
    placeOf(objects),
  );
}

function isIgnored(objects: Group): Diagnostic {
  const { group } = objects[0].kind;
  return diagnostic(
    "TW3008",
    `${listed(objects)} ${objects.length === 1 ? "is" : "are"} ignored, as \`--ignore-api ${group}\` asks`,
  );
}

function withoutEffect(objects: readonly ForeignObject[]): Diagnostic {
  const counts = new Map<string, number>();
  for (const { kind } of objects) {
    const name = `${kind.product} ${kind.kind}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const counted = Array.from(counts, ([name, count]) => `${count} ${name}`).join(", ");
  return diagnostic("TW3009", `objects that neither allow nor deny traffic by themselves: ${counted}`);
}

/** How many objects are named before the rest is counted. */
const named = 3;

/** `Calico GlobalNetworkPolicy guard, NetworkPolicy shop/web and 3 more`. */
export function listed(objects: Group): string {
  const names = objects.slice(0, named).map(({ policy: { kind, namespace, name } }) => {
    const called = namespace === undefined ? name : `${namespace}/${name}`;
    return `${kind} \`${called}\``;
  });
  const more = objects.length - named;
  return `${objects[0].kind.product} ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
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

/** Whether it repeats a policy that is evaluated here. Only where the original is there: a name alone proves nothing. */
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
