import type { ChangedEndpoints, ChangeRow, StateChanges } from "../../analysis/changes/changes.js";
import type { DirectionExplanation } from "../../engine/index.js";
import { formatRange } from "../../net/region.js";
import type { Direction } from "../../policy/model.js";
import {
  apiVersion,
  deciderJson,
  endpointJson,
  flowJson,
  type JsonFields,
  type JsonValue,
} from "../explanation/explanation-json.js";
import { portGroupJson } from "../port-groups-text.js";

export function changesJson(changes: StateChanges): JsonFields {
  return { apiVersion, kind: "Diff", ...changesFields(changes) };
}

/** The common part of a diff and a preview. */
export function changesFields(changes: StateChanges): JsonFields {
  const { totals, appeared, disappeared, foreign } = changes;
  return {
    by: changes.by,
    summary: {
      newlyDenied: totals.Deny.connections,
      newlyAllowed: totals.Allow.connections,
      newlyUndecided: totals.Undecided.connections,
      appeared: appeared.length,
      disappeared: disappeared.length,
      foreign: foreign.length,
    },
    changes: changes.rows.map(rowJson),
    appeared: appeared.map(endpointJson),
    disappeared: disappeared.map(endpointJson),
    foreign: foreign.map(({ object, change, place }) => ({
      object,
      change,
      file: place?.file,
      line: place?.line,
    })),
  };
}

export function rowJson(row: ChangeRow): JsonFields {
  const { from, to, ports, before, after, decided, families, connections, partly, example } = row;
  const known = families.flatMap((family) => (family === undefined ? [] : `IPv${family}`));
  const decidedIn = (when: "before" | "after") =>
    Object.fromEntries(
      decided.map((one): [string, JsonValue] => [one.direction, saidJson(one.direction, one[when])]),
    );
  return {
    before,
    after,
    from: endsJson(from),
    to: endsJson(to),
    ports: ports.map(portGroupJson),
    families: known.length === 0 ? undefined : known,
    connections,
    partly: partly ? true : undefined,
    decidedBefore: decidedIn("before"),
    decidedAfter: decidedIn("after"),
    example: flowJson(example),
  };
}

/** `decidedBy`, or `possible` where facts are missing. */
export function saidJson(direction: Direction, { verdict, deciders }: DirectionExplanation): JsonValue {
  const who = deciders.map((by) => deciderJson(direction, { by }));
  return verdict === "Undecided" ? { verdict, possible: who } : { verdict, decidedBy: who[0] };
}

export function endsJson(ends: ChangedEndpoints): JsonValue {
  return ends.kind === "parties"
    ? ends.parties.map((party) => ({ ...party }))
    : ends.ranges.map(({ family, first, last }) => ({
        kind: "external",
        range: formatRange(family, first, last),
      }));
}
