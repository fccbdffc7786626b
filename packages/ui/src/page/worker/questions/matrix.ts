import type { MatrixCell, Connection, Grain, Party } from "@tierwall/core";
import {
  askedPorts,
  decidingTiers,
  formatParty,
  type TierVerdict,
  tierVerdicts,
} from "@tierwall/core/analysis";
import { cellText, type Look, lookOf } from "@tierwall/core/report";
import { looks } from "../../matrix/looks.js";
import { type AskedPort, cellAt, readPort } from "./asked-port.js";
import { heldMatrix } from "./held-matrix.js";
import type { HeldState } from "../held-state.js";
import { type ReasonView, reasonViews } from "./reason-view.js";
import { workloadRefs } from "./workload-ref.js";

export interface MatrixRequest {
  readonly by: Grain;
  /** `443/TCP`; empty is every port. */
  readonly port: string;
}

export type MatrixAnswer =
  | {
      readonly kind: "matrix";
      readonly ends: readonly MatrixEndView[];
      /** For each pair, row by row, a place in `looks`. */
      readonly codes: Uint8Array;
      readonly caveats: readonly string[];
    }
  | { readonly kind: "crowded"; readonly ends: number }
  | { readonly kind: "refused"; readonly message: string };

/** A row and a column. */
export interface MatrixEndView {
  readonly name: string;
  /** The namespace it is in; nodes have none. */
  readonly band: string;
  readonly label: string;
}

/** More rows than these would take a hundred megabytes, and nothing could be found among them. */
const mostEnds = 5000;

export function answerMatrix(held: HeldState, { by, port }: MatrixRequest): MatrixAnswer {
  const asked = readPort(port);
  if (!asked.ok) return { kind: "refused", message: asked.diagnostic.message };
  const { cluster } = held.state;
  if (by === "pod" && cluster.pods.size + cluster.nodes.size > mostEnds)
    return { kind: "crowded", ends: cluster.pods.size + cluster.nodes.size };
  const { matrix } = heldMatrix(held, by);
  const { ids, content } = matrix.sums(matrix.parties, (end) => (end.kind === "external" ? undefined : end));
  const known: number[] = [];
  const codeOf = (id: number) => {
    const cell = content(id);
    return looks.indexOf(cell === undefined ? "itself" : lookAt(cell, asked.value));
  };
  const codes = Uint8Array.from(ids, (id) => (known[id] ??= codeOf(id)));
  return { kind: "matrix", ends: matrix.parties.map(endView), codes, caveats: held.caveats };
}

/** Of one port, what is allowed is all of it. */
function lookAt(cell: MatrixCell, port: AskedPort | undefined): Look {
  const asked = cellAt(cell, port);
  return port !== undefined && asked.wholly.length > 0 ? "all" : lookOf(asked);
}

function endView(party: Party): MatrixEndView {
  const band = "namespace" in party ? party.namespace : party.kind === "node" ? "nodes" : "";
  return { name: formatParty(party), band, label: party.name };
}

export type MatrixTiersAnswer =
  | {
      readonly kind: "tiers";
      /** For each pair, row by row, a place in `verdicts`. */
      readonly codes: Uint8Array;
      readonly verdicts: readonly TierVerdict[];
    }
  | { readonly kind: "refused"; readonly message: string };

export function answerMatrixTiers(held: HeldState, { by, port }: MatrixRequest): MatrixTiersAnswer {
  const asked = readPort(port);
  const ports = asked.ok
    ? askedPorts(held.engine.ports, asked.value === undefined ? [] : [asked.value])
    : asked;
  if (!ports.ok) return { kind: "refused", message: ports.diagnostic.message };
  const codes = decidingTiers(held.engine, heldMatrix(held, by).matrix.members, ports.value);
  return { kind: "tiers", codes, verdicts: tierVerdicts };
}

export interface MatrixCellRequest extends MatrixRequest {
  /** By the number of their row. */
  readonly from: number;
  readonly to: number;
}

export interface MatrixCellAnswer {
  readonly from: string;
  readonly to: string;
  /** `443/TCP ~9000/TCP`; empty where nothing is open. */
  readonly ports: string;
  readonly reasons: readonly ReasonView[];
  /** The same question for Explain; undefined where a row is no single thing to ask about. */
  readonly question?: { readonly from: string; readonly to: string };
}

/** Undefined where there is no such pair. */
export function answerMatrixCell(
  held: HeldState,
  { by, port, from, to }: MatrixCellRequest,
): MatrixCellAnswer | undefined {
  const asked = readPort(port);
  const known = heldMatrix(held, by);
  const { matrix } = known;
  const [source, destination] = [matrix.parties[from], matrix.parties[to]];
  if (!asked.ok || source === undefined || destination === undefined) return undefined;
  const cell = matrix.cellBetween(from, to);
  if (cell === undefined) return undefined;
  const connection: Connection = { from: source, to: destination, cell };
  const reasons = reasonViews(known, connection, asked.value);
  const [first] = reasons;
  const ref = refsIn(held);
  const question =
    by === "namespace"
      ? first && { from: first.source, to: first.destination }
      : { from: ref(source), to: ref(destination) };
  return {
    from: formatParty(source),
    to: formatParty(destination),
    ports: cellText(cellAt(cell, asked.value)),
    reasons,
    ...(question === undefined ? {} : { question }),
  };
}

/** How Explain's questions name a party. */
export function refsIn({ state: { cluster } }: HeldState): (party: Party) => string {
  const refOf = workloadRefs(cluster);
  return (party) => {
    switch (party.kind) {
      case "workload": {
        const { namespace, name, workload } = party;
        return workload === "Pod"
          ? `${namespace}/${name}`
          : refOf({ namespace, name, kind: workload, pods: [] });
      }
      case "pod":
        return `${party.namespace}/${party.name}`;
      case "node":
        return `node:${party.name}`;
      case "namespace":
        return party.name;
    }
  };
}
