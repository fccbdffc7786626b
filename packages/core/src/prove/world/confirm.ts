import type { Cluster } from "../../cluster/model.js";
import { given } from "../../diagnostics/given.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import { type Decision, walk } from "../../evaluate/walk.js";
import type { Direction, Tiers } from "../../policy/model.js";
import { readState, type State } from "../../state/state.js";
import { byDirection, ends } from "../encode/index.js";
import { Answers } from "./answers.js";
import { manifestsText } from "./manifests.js";
import type { Witness, WitnessEnd } from "./witness.js";

/** A witness as a cluster that was read from manifests, and what the evaluator says about its connection. */
export interface Confirmed {
  readonly witness: Witness;
  readonly manifests: string;
  readonly flow: Flow;
  readonly decisions: Readonly<Record<Direction, Decision>>;
  /** Facts that the evaluator asked for, and that the witness answers: `whether …`. */
  readonly facts: readonly { readonly text: string; readonly answer: boolean }[];
  /** What is wrong, where the evaluator could not be asked. */
  readonly problems: readonly string[];
}

/** S7.7: an Allow that depends on more than addresses and ports. */
export const isConditional = ({ conditions }: Decision): boolean =>
  conditions.some((text) => text.startsWith("conditional on"));

/**
 * Writes the cluster of a witness as manifests, reads them, and asks the literal evaluator about the connection. `rearranged`: what
 * is to be asked instead of the tiers of the cluster.
 */
export function confirm(
  base: State,
  witness: Witness,
  rearranged: (tiers: Tiers) => Tiers = (tiers) => tiers,
): Confirmed {
  const manifests = manifestsText(witness);
  const { ciliumClusterName, ciliumLabels } = base.setup;
  const options = given({ ciliumClusterName, ciliumLabels });
  const read = readState([{ file: "counterexample.yaml", text: manifests }], options);
  const { tiers } =
    read.definitions.length === 0 ? base : base.withDefinitions([...base.definitions, ...read.definitions]);
  const asked = rearranged(tiers);
  const cluster: Cluster = { ...read.cluster, cidrGroups: base.cluster.cidrGroups };
  const flow: Flow = {
    source: endpointOf(cluster, witness.source),
    destination: endpointOf(cluster, witness.destination),
    protocol: witness.protocol,
    port: witness.port,
    family: witness.family,
  };
  const unknowns = new Answers(answersOf(witness, flow));
  const decisions = byDirection((direction) => walk(direction, asked, { flow, cluster, unknowns }));
  return {
    witness,
    manifests,
    flow,
    decisions,
    facts: [...unknowns.asked.values()],
    problems: [
      ...read.diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
      ...unknowns.unanswered,
    ],
  };
}

function endpointOf(cluster: Cluster, end: WitnessEnd): Endpoint {
  if (end.kind === "external") return { kind: "external", address: end.address };
  if (end.kind === "node") return { kind: "node", node: cluster.nodes.get(end.name)!, address: end.address };
  const pod = cluster.pods.get(`${end.namespace}/${end.name}`)!;
  return { kind: "pod", pod, namespace: cluster.namespaces.get(end.namespace)! };
}

/** Facts by the keys under which the evaluator asks. */
function answersOf({ facts }: Witness, flow: Flow): ReadonlyMap<string, boolean> {
  return new Map(
    [...facts].map(([key, value]) => {
      const end = ends.find((each) => key === `apiserver ${each}`);
      return [end === undefined ? key : `apiserver:${formatEndpoint(flow[end])}`, value];
    }),
  );
}
