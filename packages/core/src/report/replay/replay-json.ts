import { partyOf } from "../../analysis/endpoints/party.js";
import type { FlowGroup } from "../../analysis/replay/flow-groups.js";
import type { Replayed } from "../../analysis/replay/replay.js";
import type { DirectionExplanation, FlowExplanation } from "../../engine/index.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { formatAddress } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import {
  apiVersion,
  deciderJson,
  endpointJson,
  type JsonFields,
  type JsonValue,
} from "../explanation/explanation-json.js";

/** The stable JSON of a replay. Fields are only ever added within a version. */
export function replayJson(replayed: Replayed): JsonFields {
  const { verdicts, skipped, broken } = replayed;
  return {
    apiVersion,
    kind: "Replay",
    judged: replayed.evaluated,
    allowed: verdicts.Allow,
    denied: verdicts.Deny,
    undecided: verdicts.Undecided,
    flows: {
      dropped: replayed.dropped.map(groupJson),
      undecided: replayed.undecided.map(groupJson),
      changed: replayed.changed?.map(groupJson),
      disagreements: replayed.disagreements.map(groupJson),
    },
    notJudged: {
      skipped: Object.fromEntries(skipped),
      unknown: replayed.unknown.map(({ who, why, count }) => ({ who, why, count })),
      broken,
    },
  };
}

function groupJson({ flow, count, before, after, seen, severalAddresses, isRest }: FlowGroup): JsonValue {
  if (isRest) return { others: true, count, seen: seenJson(seen), ...explanationsJson(before, after) };
  return {
    from: endJson(flow.source, severalAddresses),
    to: endJson(flow.destination, severalAddresses),
    protocol: flow.protocol,
    port: flow.protocol === "ICMP" ? undefined : flow.port,
    count,
    seen: seenJson(seen),
    ...explanationsJson(before, after),
    example: { from: endpointJson(flow.source), to: endpointJson(flow.destination) },
  };
}

const seenJson = (seen: FlowGroup["seen"]): JsonValue | undefined =>
  seen && { verdict: seen.verdict, direction: seen.direction };

function explanationsJson(before: FlowExplanation, after: FlowExplanation): JsonFields {
  return { ...explanationJson(after), before: before === after ? undefined : explanationJson(before) };
}

/** `others`: there were more external addresses, which no rule distinguishes from this one. */
function endJson(end: Endpoint, several: boolean): JsonValue {
  return end.kind === "external"
    ? { kind: "external", address: formatAddress(end.address), others: several ? true : undefined }
    : { ...partyOf(end, "workload") };
}

function explanationJson({ verdict, egress, ingress }: FlowExplanation): JsonFields {
  return { verdict, egress: sideJson("egress", egress), ingress: sideJson("ingress", ingress) };
}

/** One decides, or several may, while facts are missing. */
function sideJson(direction: Direction, { verdict, deciders }: DirectionExplanation): JsonValue {
  const all = deciders.map((by) => deciderJson(direction, { by }));
  return verdict === "Undecided"
    ? { verdict, decidedBy: null, possible: all }
    : { verdict, decidedBy: all[0] };
}
