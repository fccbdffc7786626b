// Judges random clusters with another implementation and with ours.

import { pathToFileURL } from "node:url";

/** How many connections of each cluster are compared. */
const flowsPerCluster = 120;

/**
 * @param {string} core The folder with the compiled core.
 * @returns A function that compares one scenario: how many verdicts were compared, and the differences.
 */
export async function comparison(core, judge, process) {
  const load = (name) => import(pathToFileURL(`${core}/${name}.js`).href);
  const [
    { stateOf, about },
    { manifestsOf },
    everyFlow,
    { evaluate },
    { formatAddress },
    { enforcedAs },
    { assembleTiers },
  ] = await Promise.all(
    [
      "testing/arbitrary/scenario",
      "testing/arbitrary/arbitrary-cluster",
      "testing/every-flow",
      "src/evaluate/evaluate",
      "src/net/address",
      "src/state/enforcers/differences",
      "src/policy/assemble",
    ].map(load),
  );
  const endOf = (end) => {
    if (end.kind === "pod") return { pod: `${end.pod.namespace}/${end.pod.name}` };
    return end.kind === "node" ? { node: end.node.name } : { address: formatAddress(end.address) };
  };
  return async (scenario) => {
    const { cluster, policies } = judge.adapt(scenario);
    const namespaces = {
      ...Object.fromEntries(cluster.pods.map((pod) => [pod.namespace, {}])),
      ...cluster.namespaces,
    };
    const objects = [...manifestsOf({ ...cluster, namespaces, extras: [] }), ...policies];
    const state = stateOf(objects);
    const pairs = [...everyFlow.memberPairs(state.cluster), ...everyFlow.otherPairs(state)].filter(
      ({ toItself, source, destination }) => !toItself && source !== destination,
    );
    const ports = everyFlow.portsAtBorders(state);
    const { definitions } = state;
    const tiers =
      judge.enforcer === undefined
        ? state.tiers
        : assembleTiers(enforcedAs(definitions, judge.enforcer, judge.options));
    const share = Math.min(1, flowsPerCluster / (pairs.length * ports.length));
    const flows = [...everyFlow.flowsAmong(pairs, ports, share)].filter(
      (flow) =>
        judge.accepts(flow, policies) && !isMember(state, flow.source) && !isMember(state, flow.destination),
    );
    const request = {
      objects,
      flows: flows.map(({ source, destination, protocol, port, family }) => ({
        from: endOf(source),
        to: endOf(destination),
        protocol,
        port,
        family: family ?? 4,
      })),
    };
    const answer = await process.ask(request);
    if (answer.rejected !== undefined) return { compared: 0, differences: [], rejected: answer.rejected };
    let compared = 0;
    const differences = [];
    for (const [i, flow] of flows.entries()) {
      const { verdict, egress, ingress } = evaluate(state.cluster, tiers, flow);
      const theirs = answer.verdicts[i];
      const verdicts = judge.perDirection ? [egress.verdict, ingress.verdict] : [verdict];
      for (const [j, own] of verdicts.entries()) {
        if (own === "Undecided" || theirs[j] === "-") continue;
        compared++;
        const other = theirs[j] === "A" ? "Allow" : "Deny";
        if (own === other) continue;
        const direction = judge.perDirection ? ["egress ", "ingress "][j] : "";
        differences.push(`${direction}${about(flow)}: ours ${own}, ${judge.name} ${other}`);
      }
    }
    return { compared, differences };
  };
}

/** Whether the address belongs to a pod or a node: those are compared as members of the cluster, not as addresses. */
function isMember({ cluster }, end) {
  if (end.kind !== "external") return false;
  const members = [...cluster.pods.values(), ...cluster.nodes.values()];
  return members.some(({ addresses }) =>
    addresses.some(({ family, value }) => family === end.address.family && value === end.address.value),
  );
}
