import type { Cluster } from "../../cluster/model.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Lane } from "./lanes.js";
import { endpointsOf, nearnessOf } from "../classes/members.js";
import { portAt, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { canTalk } from "../classes/talking.js";

/** One of these subjects, the other end in this column, any of these ports. */
export interface Spot extends Pick<Lane, "field" | "direction" | "subjects"> {
  readonly column: number;
  readonly ports: PortSetId;
}

export function spotIn(lane: Lane, cell: number, ports: PortSetId): Spot {
  const { field, direction, subjects } = lane;
  return { field, direction, subjects, column: lane.firstColumnOf(cell), ports };
}

/** An example connection at this spot, which can be explained. */
export function flowAt(spot: Spot, cluster: Cluster): Flow {
  const { family, answers } = spot.field.view;
  const [subject, other] = spot.field.kind === "outside" ? withAddress(spot, cluster) : within(spot, cluster);
  const [source, destination] = spot.direction === "egress" ? [subject, other] : [other, subject];
  const flow = { source, destination, ...portIn(answers.ports, spot.ports) };
  return family === undefined ? flow : { ...flow, family };
}

type Ends = readonly [subject: Endpoint, other: Endpoint];

function withAddress({ field, subjects, column }: Spot, cluster: Cluster): Ends {
  const address = field.view.ends.vocabulary.atoms.firstOf(column);
  const [subject] = endpointsOf(cluster, subjects[0]!);
  return [subject!, { kind: "external", address }];
}

/** Two different ends if there are, that surely meet; a pod meets itself through a Service. */
function within({ field, subjects, column }: Spot, cluster: Cluster): Ends {
  const { ends, family } = field.view;
  const end = ends.classes[ends.classOfColumn[column]!]!;
  const wanted = field.isOwn(column) ? "own-node" : "other-node";
  let other: Ends | undefined;
  for (const subjectClass of subjects) {
    if (!canTalk(family, subjectClass.families, end.families)) continue;
    for (const a of endpointsOf(cluster, subjectClass))
      for (const b of endpointsOf(cluster, end)) {
        // S1.6
        const nearness = end.kind === "pod" ? wanted : nearnessOf(a, b);
        if (nearness === wanted && !isSamePod(a, b)) return [a, b];
        if (nearness === wanted || nearness === "unknown-node") other ??= [a, b];
      }
  }
  return other!;
}

const isSamePod = (a: Endpoint, b: Endpoint): boolean =>
  a.kind === "pod" && b.kind === "pod" && a.pod === b.pod;

/** One that people know, if it is among them. */
function portIn(ports: PortSets, set: PortSetId): Pick<Flow, "protocol" | "port"> {
  for (const known of wellKnown) if (ports.contains(set, known.protocol, known.port)) return known;
  for (const protocol of ["TCP", "UDP", "SCTP", "ICMP"] as const) {
    const [range] = ports.ranges(set, protocol);
    if (range !== undefined) return { protocol, port: range[0] };
  }
  return portAt(0);
}

const wellKnown = [
  { protocol: "TCP", port: 443 },
  { protocol: "TCP", port: 80 },
  { protocol: "UDP", port: 53 },
] as const;
