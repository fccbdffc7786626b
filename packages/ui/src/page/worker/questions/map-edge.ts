import type { Connection, MatrixEnd, PortGroup, Verdict } from "@tierwall/core";
import { formatAddress } from "@tierwall/core/model";
import { cellText, matrixEndText, portGroupsText } from "@tierwall/core/report";
import { type AskedPort, askedOf, cellAt, readPort } from "./asked-port.js";
import { type HeldMatrix, heldMatrix } from "./held-matrix.js";
import type { HeldState } from "../held-state.js";
import { type MapFilters, openedIn } from "./map.js";
import { MapNodes } from "./map-nodes.js";
import { refsIn } from "./matrix.js";
import { type DeciderView, deciderView } from "./reason-view.js";

export interface MapEdgeRequest extends MapFilters {
  readonly open: string;
  /** Keys of nodes. */
  readonly from: string;
  readonly to: string;
  /** Whether it is about what is allowed, or what is denied. */
  readonly denied: boolean;
}

export interface MapEdgeAnswer {
  readonly from: string;
  readonly to: string;
  /** How many pairs of workloads, and some of them. */
  readonly pairs: number;
  readonly examples: readonly EdgePair[];
  readonly rules: readonly EdgeRule[];
  /** Whether there were more pairs than were looked through for the rules. */
  readonly isPartial: boolean;
}

export interface EdgePair {
  readonly from: string;
  readonly to: string;
  readonly ports: string;
  /** The question for Explain. */
  readonly question: { readonly from: string; readonly to: string };
}

export interface EdgeRule {
  readonly direction: "egress" | "ingress";
  /** Undecided for what may allow or deny it. */
  readonly verdict: Verdict;
  readonly by: DeciderView;
  readonly ports: string;
  readonly pairs: number;
}

const mostExamples = 8;
/** Of more pairs than these, the rules are not looked up. */
const mostLookedThrough = 120;

/** The rules behind an edge. */
export function answerMapEdge(held: HeldState, request: MapEdgeRequest): MapEdgeAnswer | undefined {
  const port = readPort(request.port);
  if (!port.ok) return undefined;
  const nodes = new MapNodes(held, openedIn(held, request.open));
  const known = heldMatrix(held, "workload");
  const isAt = (key: string) => (end: MatrixEnd) => nodes.keyOf(end) === key;
  const all = [...known.matrix.between(isAt(request.from), isAt(request.to))];
  const wanted = all.filter(({ cell }) => {
    const asked = cellAt(cell, port.value);
    if (request.denied) return !isWhole(asked.wholly, port.value);
    // S9.3: foreign objects allow nothing, for all that is known.
    if (request.tier === "foreign") return asked.undecided.length > 0;
    return asked.allowed.length > 0 || asked.undecided.length > 0;
  });
  const ref = refsIn(held);
  const refOf = (end: MatrixEnd) => (end.kind === "external" ? firstOf(end) : ref(end));
  const examples = wanted.slice(0, mostExamples).map(({ from, to, cell }) => ({
    from: matrixEndText(from),
    to: matrixEndText(to),
    ports: cellText(cellAt(cell, port.value)),
    question: { from: refOf(from), to: refOf(to) },
  }));
  return {
    from: request.from,
    to: request.to,
    pairs: wanted.length,
    examples,
    rules: rulesOf(known, wanted.slice(0, mostLookedThrough), port.value, request),
    isPartial: wanted.length > mostLookedThrough,
  };
}

/** Each decider once, those of most pairs first. */
function rulesOf(
  { reasons }: HeldMatrix,
  connections: readonly Connection[],
  port: AskedPort | undefined,
  request: MapEdgeRequest,
): readonly EdgeRule[] {
  const found = new Map<string, EdgeRule>();
  for (const connection of connections) {
    const open = cellAt(connection.cell, port).allowed;
    const counted = new Set<string>();
    for (const reason of reasons.of(connection))
      for (const direction of ["egress", "ingress"] as const)
        for (const { ports, said } of reason[direction].parts) {
          const asked = askedOf(ports, port);
          const isWanted = request.denied
            ? said.verdict === "Deny"
            : said.verdict === "Undecided" || (said.verdict === "Allow" && overlap(asked, open));
          if (asked.length === 0 || !isWanted) continue;
          for (const by of said.deciders.map(deciderView)) {
            if (!isAskedFor(by, request)) continue;
            const { verdict } = said;
            const key = `${direction} ${verdict} ${by.text}`;
            const known = found.get(key) ?? {
              direction,
              verdict,
              by,
              ports: portGroupsText(asked),
              pairs: 0,
            };
            // A pair counts once, on however many ports.
            found.set(key, counted.has(key) ? known : { ...known, pairs: known.pairs + 1 });
            counted.add(key);
          }
        }
  }
  return [...found.values()].toSorted((a, b) => b.pairs - a.pairs);
}

/** With a tier or a policy chosen, the others have no part in it. */
function isAskedFor({ tier, rule, policies }: DeciderView, request: MapEdgeRequest): boolean {
  if (request.policy !== "")
    return [...policies, ...(rule === undefined ? [] : [rule.policy])].some(
      ({ key }) => key === request.policy,
    );
  return request.tier === "" || (tier ?? "default") === request.tier;
}

const isWhole = (wholly: readonly PortGroup[], port: AskedPort | undefined): boolean =>
  port === undefined ? wholly.some(({ protocol }) => protocol === "any") : wholly.length > 0;

function overlap(a: readonly PortGroup[], b: readonly PortGroup[]): boolean {
  return a.some((one) =>
    b.some((other) => {
      if (one.protocol === "any" || other.protocol === "any") return true;
      if (one.protocol !== other.protocol) return false;
      if (one.protocol === "ICMP" || other.protocol === "ICMP") return true;
      return one.ranges.some(([first, last]) =>
        other.ranges.some(([from, to]) => first <= to && from <= last),
      );
    }),
  );
}

const firstOf = ({ range: { family, first } }: Extract<MatrixEnd, { kind: "external" }>): string =>
  formatAddress({ family, value: first });
