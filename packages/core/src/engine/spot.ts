import type { Cluster } from "../cluster/model.js";
import type { Endpoint, Flow } from "../evaluate/flow.js";
import type { Lane } from "./lanes.js";
import { endpointsOf, nearnessOf } from "./members.js";
import { portAt, type PortSetId, type PortSets } from "./port-sets.js";
import { canTalk } from "./talking.js";

/** One of these subjects, the other end in this column, any of these ports. */
export interface Spot extends Pick<Lane, "field" | "direction" | "subjects"> {
  readonly column: number;
  readonly ports: PortSetId;
}

export function spotIn(lane: Lane, cell: number, ports: PortSetId): Spot {
  const { field, direction, subjects } = lane;
  return { field, direction, subjects, column: lane.firstColumnOf(cell), ports };
}

/** A connection there, as an example that somebody can ask about. */
export function flowAt(spot: Spot, cluster: Cluster): Flow {
  const { family, answers } = spot.field.view;
  const [subject, other] = spot.field.kind === "outside" ? withAddress(spot, cluster) : within(spot, cluster);
  const [source, destination] = spot.direction === "egress" ? [subject, other] : [other, subject];
  const flow = { source, destination, ...firstPort(answers.ports, spot.ports) };
  return family === undefined ? flow : { ...flow, family };
}

type Ends = readonly [subject: Endpoint, other: Endpoint];

function withAddress({ field, subjects, column }: Spot, cluster: Cluster): Ends {
  const address = field.view.ends.vocabulary.atoms.firstOf(column);
  const [subject] = endpointsOf(cluster, subjects[0]!);
  return [subject!, { kind: "external", address }];
}

/** Two different ends if possible; a pod meets itself through a Service. */
function within({ field, subjects, column }: Spot, cluster: Cluster): Ends {
  const { ends, family } = field.view;
  const end = ends.classes[ends.classOfColumn[column]!]!;
  const isOwn = field.isOwn(column);
  let alone: Ends | undefined;
  for (const subjectClass of subjects) {
    if (!canTalk(family, subjectClass.families, end.families)) continue;
    for (const subject of endpointsOf(cluster, subjectClass))
      for (const other of endpointsOf(cluster, end)) {
        if (isSamePod(subject, other)) alone ??= [subject, other];
        else if (end.kind === "pod" || fits(subject, other, isOwn)) return [subject, other];
      }
  }
  return alone!;
}

// S1.6
function fits(subject: Endpoint, host: Endpoint, isOwn: boolean): boolean {
  const nearness = nearnessOf(subject, host);
  return nearness === "unknown-node" || (nearness === "own-node") === isOwn;
}

const isSamePod = (a: Endpoint, b: Endpoint): boolean =>
  a.kind === "pod" && b.kind === "pod" && a.pod === b.pod;

/** Port 0 does not exist. */
function firstPort(ports: PortSets, set: PortSetId): Pick<Flow, "protocol" | "port"> {
  for (const protocol of ["TCP", "UDP", "SCTP", "ICMP"] as const) {
    const [range] = ports.ranges(set, protocol);
    if (range !== undefined) return { protocol, port: range[0] };
  }
  return portAt(0);
}
