import type { Cluster } from "../../cluster/model.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Lane } from "./lanes.js";
import { endpointsOf, nearnessOf } from "../classes/members.js";
import { portAt, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { canTalk } from "../classes/talking.js";

/** Where a finding shows: one of these subjects, the other endpoint in this column, any of these ports. */
export interface WitnessCell extends Pick<Lane, "field" | "direction" | "subjects"> {
  readonly column: number;
  readonly ports: PortSetId;
}

export function witnessIn(lane: Lane, cell: number, ports: PortSetId): WitnessCell {
  const { field, direction, subjects } = lane;
  return { field, direction, subjects, column: lane.firstColumnOf(cell), ports };
}

/** An example connection, which can be explained. */
export function flowAt(witness: WitnessCell, cluster: Cluster): Flow {
  const { family, answers } = witness.field.view;
  const [subject, other] =
    witness.field.kind === "outside" ? withAddress(witness, cluster) : within(witness, cluster);
  const [source, destination] = witness.direction === "egress" ? [subject, other] : [other, subject];
  const flow = { source, destination, ...portIn(answers.ports, witness.ports) };
  return family === undefined ? flow : { ...flow, family };
}

type Ends = readonly [subject: Endpoint, other: Endpoint];

function withAddress({ field, subjects, column }: WitnessCell, cluster: Cluster): Ends {
  const address = field.view.ends.vocabulary.atoms.firstOf(column);
  const [subject] = endpointsOf(cluster, subjects[0]!);
  return [subject!, { kind: "external", address }];
}

/** Two different ends if there are, that surely meet; a pod meets itself through a Service. */
function within({ field, subjects, column }: WitnessCell, cluster: Cluster): Ends {
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
