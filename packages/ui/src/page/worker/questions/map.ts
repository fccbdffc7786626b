import type { MatrixCell, PortGroup } from "@tierwall/core";
import { askedPorts, decidedBy, type Meant, portGroups, type Side } from "@tierwall/core/analysis";
import { type Member, realPorts } from "@tierwall/core/engine";
import { parseSelector, type TierName, tierNames } from "@tierwall/core/model";
import { cellText, portGroupsText } from "@tierwall/core/report";
import { type AskedPort, cellAt, readPort } from "./asked-port.js";
import { heldMatrix } from "./held-matrix.js";
import type { HeldState } from "../held-state.js";
import { type MapNode, MapNodes, meantNodes, type Opened } from "./map-nodes.js";
import { type PolicyView, policyKey, policyView } from "./policy-view.js";

export interface MapFilters {
  /** Part of a namespace's name; empty is all. */
  readonly namespace: string;
  /** `app=web`, as kubectl takes it. */
  readonly label: string;
  readonly port: string;
  /** Only what this tier decides, or this policy, by its key; at most one of them. */
  readonly tier: string;
  readonly policy: string;
}

export interface MapRequest extends MapFilters {
  /** `all`, `none`, or names; empty opens all where that is legible, `+shop` at least this one. */
  readonly open: string;
}

export type MapAnswer =
  | {
      readonly kind: "map";
      readonly nodes: readonly MapNode[];
      /** Whether the filters mean a node, or it is only the other end of a connection with one. */
      readonly meant: readonly boolean[];
      /** From, to and a place in `looks`, one after the other. */
      readonly edges: Uint32Array;
      readonly looks: readonly EdgeLook[];
      readonly isOpen: boolean;
      readonly caveats: readonly string[];
    }
  | { readonly kind: "refused"; readonly message: string };

/** What is allowed on an edge, or denied if denials are requested. */
export interface EdgeLook {
  readonly verdict: "allowed" | "partly" | "undecided" | "denied";
  /** `443/TCP`. */
  readonly ports: string;
  /** From one port (1) to every port (4). */
  readonly weight: 1 | 2 | 3 | 4;
}

/** So many workloads are all shown at once. */
const mostOpen = 40;

export function openedIn(held: HeldState, open: string): Opened {
  if (open === "all") return "all";
  if (open === "none") return [];
  if (open !== "" && !open.startsWith("+")) return open.split(",");
  if (heldMatrix(held, "workload").matrix.parties.length <= mostOpen) return "all";
  return open === "" ? [] : [open.slice(1)];
}

export function answerMap(held: HeldState, request: MapRequest): MapAnswer {
  const port = readPort(request.port);
  if (!port.ok) return { kind: "refused", message: port.diagnostic.message };
  const labels = request.label.trim() === "" ? [] : parseSelector(request.label.trim());
  if (labels === undefined)
    return { kind: "refused", message: `\`${request.label}\` is not a label selector; write \`app=web\`` };
  const opened = openedIn(held, request.open);
  const nodes = new MapNodes(held, opened);
  const meant = meantNodes(held, nodes, request.namespace.trim(), labels);
  const who = meantBy(held, request);
  const found =
    who === undefined ? allowedEdges(held, nodes, port.value) : decidedEdges(held, nodes, port.value, who);
  const edges = found.edges.filter(([from, to]) => meant[from] || meant[to]);
  return {
    kind: "map",
    nodes: nodes.list,
    meant,
    edges: Uint32Array.from(edges.flat()),
    looks: found.looks,
    isOpen: opened === "all",
    caveats: held.caveats,
  };
}

export function meantBy({ state }: HeldState, { tier, policy }: MapFilters): Meant | undefined {
  if (policy !== "") {
    const found = state.policies.find((one) => policyKey(one) === policy);
    return found && { kind: "policy", policy: found };
  }
  if (tier === "default") return { kind: "default" };
  const name = tierNames.find((known) => known === tier);
  return name && { kind: "tier", tier: name };
}

type Edge = readonly [from: number, to: number, look: number];

interface Found {
  readonly edges: readonly Edge[];
  readonly looks: readonly EdgeLook[];
}

function allowedEdges(held: HeldState, nodes: MapNodes, port: AskedPort | undefined): Found {
  const { matrix } = heldMatrix(held, "workload");
  const { ids, content } = matrix.sums([...nodes.list.keys()], (end) => nodes.indexOf(end));
  const looks: EdgeLook[] = [];
  const known = new Map<number, number>();
  const width = nodes.list.length;
  const edges: Edge[] = [];
  for (let at = 0; at < ids.length; at++) {
    let look = known.get(ids[at]!);
    if (look === undefined) {
      const cell = content(ids[at]!);
      const made = cell && lookOfCell(cellAt(cell, port));
      look = made === undefined ? -1 : looks.push(made) - 1;
      known.set(ids[at]!, look);
    }
    if (look >= 0) edges.push([Math.floor(at / width), at % width, look]);
  }
  return { edges, looks };
}

/** Undefined where nothing is open. */
function lookOfCell(cell: MatrixCell): EdgeLook | undefined {
  if (cell.allowed.length === 0 && cell.undecided.length === 0) return undefined;
  const verdict = cell.wholly.length > 0 ? "allowed" : cell.partly.length > 0 ? "partly" : "undecided";
  const open = cell.allowed.length > 0 ? cell.allowed : cell.undecided;
  return { verdict, ports: cellText(cell), weight: weightOf(open) };
}

/** What a tier or a policy decides: allowed, undecided and denied are an edge each. */
function decidedEdges(held: HeldState, nodes: MapNodes, port: AskedPort | undefined, who: Meant): Found {
  const { engine } = held;
  const { ports } = engine;
  const asked = askedPorts(ports, port === undefined ? [] : [port]);
  if (!asked.ok) return { edges: [], looks: [] };
  const width = nodes.list.length;
  const noSets = () => new Uint32Array(width * width);
  const sums = { allowed: noSets(), undecided: noSets(), denied: noSets() };
  const indexesOf = foldedBy(nodes);
  for (const decided of decidedBy(engine, asked.value, who)) {
    const targets = indexesOf(decided.to);
    for (const source of indexesOf(decided.from))
      for (const target of targets) {
        const at = source * width + target;
        for (const verdict of edgeVerdicts)
          sums[verdict][at] = ports.union(sums[verdict][at]!, decided[verdict]);
      }
  }
  const real = realPorts(ports);
  const looks: EdgeLook[] = [];
  const edges: Edge[] = [];
  for (const verdict of edgeVerdicts) {
    const known = new Map<number, number>();
    for (const [at, set] of sums[verdict].entries()) {
      if (set === 0) continue;
      const look = known.get(set) ?? looks.push(lookOfPorts(portGroups(ports, set, real), verdict)) - 1;
      known.set(set, look);
      edges.push([Math.floor(at / width), at % width, look]);
    }
  }
  return { edges, looks };
}

const edgeVerdicts = ["allowed", "undecided", "denied"] as const;

/** The nodes that ends are in. The same ends come again with thousands of others. */
function foldedBy(nodes: MapNodes): (side: Side) => ReadonlySet<number> {
  const known = new Map<readonly Member[], readonly number[]>();
  const indexesOf = (ends: readonly Member[]): readonly number[] => {
    const found = known.get(ends) ?? [...new Set(ends.map((end) => nodes.indexOfMember(end)))];
    known.set(ends, found);
    return found;
  };
  return (side) =>
    new Set(side === "outside" ? [nodes.indexOfMember(side)] : side.flatMap((ends) => indexesOf(ends)));
}

const lookOfPorts = (groups: readonly PortGroup[], verdict: EdgeLook["verdict"]): EdgeLook => ({
  verdict,
  ports: portGroupsText(groups),
  weight: weightOf(groups),
});

function weightOf(groups: readonly PortGroup[]): EdgeLook["weight"] {
  let count = 0;
  for (const group of groups) {
    if (group.protocol === "any") return 4;
    if (group.protocol === "ICMP") count++;
    else for (const [first, last] of group.ranges) count += last - first + 1;
  }
  return count === 1 ? 1 : count < 100 ? 2 : count < 100_000 ? 3 : 4;
}

export interface MapChoices {
  /** Namespaces and workloads, by the keys of their nodes. */
  readonly places: readonly MapPlace[];
  readonly policies: readonly PolicyView[];
  readonly tiers: readonly TierName[];
}

export interface MapPlace {
  readonly key: string;
  readonly name: string;
  readonly detail: string;
  /** That a workload is in. */
  readonly namespace?: string;
}

/** What there is to choose from. */
export function answerMapChoices(held: HeldState, _request: Record<string, never>): MapChoices {
  const { state } = held;
  const used = new Set([...state.tiers.egress, ...state.tiers.ingress].map(({ name }) => name));
  return {
    places: [
      ...new MapNodes(held, []).list.map(({ key, name, detail }) => ({ key, name, detail })),
      ...new MapNodes(held, "all").list.flatMap(({ key, kind, card, name, detail }) =>
        kind === "workload" ? { key, name: `${card}/${name}`, detail, namespace: card } : [],
      ),
    ],
    policies: state.policies.map(policyView),
    tiers: tierNames.filter((name) => used.has(name)),
  };
}
