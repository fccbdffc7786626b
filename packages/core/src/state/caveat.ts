import { child, text, texts } from "../cluster/fields.js";
import type { Cluster, Pod } from "../cluster/model.js";
import type { Verdict } from "../evaluate/evaluate.js";
import { type Endpoint, type Flow, type PodEndpoint, subjectOf } from "../evaluate/flow.js";
import { isSubject } from "../evaluate/match.js";
import { countsOf, grouped } from "../collections/maps.js";
import { shortened } from "../diagnostics/visible.js";
import { type ForeignObject, formatForeign, isFilter } from "../foreign/object.js";
import type { JsonObject } from "../manifest/document.js";
import { describeObjects } from "../policy/describe.js";
import type { Direction } from "../policy/model.js";
import type { EnforcerName } from "./enforcers/differences.js";

/** What an answer does not take into account: the answer is correct, but may be incomplete (S9.5). */
export type Caveat =
  /** The number of connections that foreign objects may allow or deny (S9.3). For answers about many. */
  | { readonly kind: "undecided"; readonly text: string; readonly connections: number }
  /** A policy of a service mesh, or another that is enforced by a proxy, may deny the connection as well. */
  | { readonly kind: "mesh"; readonly text: string; readonly object: string }
  /** A policy for nodes may deny the connection as well. */
  | { readonly kind: "host-policy"; readonly text: string; readonly object: string }
  /** Objects that could not be read. */
  | { readonly kind: "unseen"; readonly text: string }
  /** An implementation that would decide differently (S9.8). */
  | {
      readonly kind: "implementation";
      readonly text: string;
      readonly enforcers: readonly EnforcerName[];
      /** Its verdict, in answers about one connection. */
      readonly verdict?: Verdict;
    }
  /** An API that is ignored, as requested. */
  | { readonly kind: "ignored"; readonly text: string };

/** Of a state. */
export interface CaveatSources {
  readonly cluster: Cluster;
  readonly foreign: readonly ForeignObject[];
  readonly caveats: readonly Caveat[];
}

/** The caveats of one connection, those of the whole state among them. */
export function caveatsOf(state: CaveatSources, flow: Pick<Flow, Ends>): readonly Caveat[] {
  return [...state.foreign.flatMap((object) => caveatOf(object, flow) ?? []), ...state.caveats];
}

type Ends = "source" | "destination";

function caveatOf(object: ForeignObject, { source, destination }: Pick<Flow, Ends>): Caveat | undefined {
  const { effect } = object.kind;
  const named = formatForeign(object);
  if (effect.kind === "l7") {
    const ends: Readonly<Record<Direction, Endpoint>> = { egress: source, ingress: destination };
    if (!object.scope.directions.some((direction) => maySelect(object, ends[direction]))) return undefined;
    return { kind: "mesh", text: `${named} may also deny this`, object: named };
  }
  if (!object.scope.nodes || (!isHost(source) && !isHost(destination))) return undefined;
  const text =
    effect.kind === "host"
      ? `${named} may let policies for nodes deny this`
      : `${named} may also deny this, at the node`;
  return { kind: "host-policy", text, object: named };
}

function maySelect({ scope }: ForeignObject, end: Endpoint): boolean {
  const subject = subjectOf(end);
  return subject !== undefined && scope.subjects.some((selection) => isSubject(selection, subject));
}

const isHost = (end: Endpoint): boolean => end.kind === "node" || (end.kind === "pod" && end.pod.hostNetwork);

/** The caveats of answers about many connections: one for all objects of an API. */
export function caveatsOfAll(state: CaveatSources): readonly Caveat[] {
  // An API that also filters pods is named with the connections that it leaves undecided.
  const isForNodes = (object: ForeignObject) =>
    object.scope.nodes && hasHosts(state.cluster) && !isFilter(object);
  const concerned = state.foreign.filter((one) => one.kind.effect.kind === "l7" || isForNodes(one));
  const groups = grouped(concerned, ({ kind }) => `${kind.effect.kind} ${kind.product}`);
  const shared = Array.from(groups.values(), (objects): Caveat => {
    const [first] = objects;
    const { effect, product } = first.kind;
    const object = formatForeign(first);
    const all = objects.length === 1 ? object : `${object} and ${objects.length - 1} more of ${product}`;
    if (effect.kind === "l7")
      return { kind: "mesh", text: `${all} may also deny connections that are allowed here`, object };
    const what =
      effect.kind === "host"
        ? "may let policies for nodes deny what is allowed here"
        : "may also deny connections of nodes";
    return { kind: "host-policy", text: `${all} ${what}`, object };
  });
  return [...undecidedCaveats(state), ...shared, ...state.caveats];
}

function undecidedCaveats(state: CaveatSources): readonly Caveat[] {
  const filters = state.foreign.filter(isFilter);
  if (filters.length === 0) return [];
  const { affected, all } = pairsUnder(filters, state.cluster);
  const objects = filters.map((object) => ({ object: formatForeign(object), group: object.kind.group }));
  const text = `${formatNumber(affected)} of ${formatNumber(all)} connections between pods depend on ${describeObjects(objects)}`;
  const alsoNodes = hasHosts(state.cluster) && filters.some(({ scope }) => scope.nodes);
  return [
    {
      kind: "undecided",
      text: alsoNodes ? `${text}; those of nodes may as well` : text,
      connections: affected,
    },
  ];
}

const hasHosts = ({ nodes, pods }: Cluster): boolean =>
  nodes.size > 0 || [...pods.values()].some(({ hostNetwork }) => hostNetwork);

/** Of all pairs of pods, those that foreign objects may allow or deny, at the source or at the destination. */
function pairsUnder(
  filters: readonly ForeignObject[],
  { pods, namespaces }: Cluster,
): { readonly affected: number; readonly all: number } {
  const between = filters.filter(
    ({ kind: { effect } }) => effect.kind === "l3-l4" && effect.reach === "every-address",
  );
  const isUnder = (direction: Direction) => {
    const subjects = between
      .filter(({ scope }) => scope.directions.includes(direction))
      .flatMap(({ scope }) => scope.subjects);
    return (pod: Pod) => {
      const namespace = namespaces.get(pod.namespace);
      if (namespace === undefined) return false;
      const end: PodEndpoint = { kind: "pod", pod, namespace };
      return subjects.some((selection) => isSubject(selection, end));
    };
  };
  const walked = [...pods.values()].filter(({ hostNetwork }) => !hostNetwork);
  const [isOut, isIn] = [isUnder("egress"), isUnder("ingress")];
  let [free, freeOut, freeIn] = [0, 0, 0];
  for (const pod of walked) {
    const [out, into] = [isOut(pod), isIn(pod)];
    if (!out) freeOut++;
    if (!into) freeIn++;
    if (!out && !into) free++;
  }
  const all = walked.length * (walked.length - 1);
  // A pod and itself are not a pair.
  return { all, affected: all - (freeOut * freeIn - free) };
}

const formatNumber = (number: number): string => number.toLocaleString("en");

/** The caveats of all states, each once. */
export function mergedCaveats(...lists: readonly (readonly Caveat[])[]): readonly Caveat[] {
  return [...new Map(lists.flat().map((caveat) => [`${caveat.kind} ${caveat.text}`, caveat])).values()];
}

export function ignoredCaveats(ignored: readonly ForeignObject[]): readonly Caveat[] {
  const groups = countsOf(ignored.map(({ kind }) => kind.group));
  return Array.from(groups, ([group, count]) => ({
    kind: "ignored",
    text: `${count} ${count === 1 ? "object" : "objects"} of ${group} ${count === 1 ? "is" : "are"} ignored (--ignore-api)`,
  }));
}

/** A snapshot is a file like any other, and its texts may be of any length. */
const brief = (written: string): string => shortened(written, 300);

/** From the object in a snapshot that says what could not be read. */
export function unseenCaveats(snapshot: JsonObject): readonly Caveat[] {
  const onlyIn = child(snapshot, "onlyIn");
  const partly = texts(onlyIn, "resources");
  const undiscovered = text(snapshot, "undiscovered");
  const asIf = "answers assume that there are none";
  const unseen = [
    ...(undiscovered === undefined
      ? []
      : [`policies of other projects could not be listed (${brief(undiscovered)}): ${asIf}`]),
    ...texts(snapshot, "forbidden").map((resource) => `${brief(resource)} could not be read: ${asIf}`),
    ...(partly.length === 0
      ? []
      : [
          `${brief(partly.join(", "))} could be read only in namespace ${brief(text(onlyIn, "namespace") ?? "")}`,
        ]),
  ];
  return unseen.map((text) => ({ kind: "unseen", text }));
}
