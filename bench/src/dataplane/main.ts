import { type Shape, shapes } from "../generate/shape.js";
import { type MeasuredPart, measurePart, refuse } from "../measured-part.js";
import { measureAgent } from "./agent-row.js";
import { measureBaselineDeny, measureChanges } from "./changes-row.js";
import { measureTraffic } from "./traffic-row.js";

/** 1,000 NetworkPolicies, and ten policies of the whole cluster with 1 to 100 rules each. */
const shape: Shape = { ...shapes["10k/1k"], clusterPolicies: 10 };
const seed = 1;

const dataplane: MeasuredPart = {
  name: "dataplane",
  command: "npm run bench:dataplane",
  title: "The dataplane",
  about:
    ", as root, with nft and a C compiler installed: a generated cluster of 10,000 pods, 1,000 NetworkPolicies and 10 " +
    "ClusterNetworkPolicies of 1 to 100 rules, dual stack, 110 of the pods on the node, a counter for every rule. *Share of " +
    "the rate* compares with a ruleset that only accepts established connections, in turns of milliseconds and in the same nodes, by " +
    "the time that the processor spends; the client and the server are pods of the node, so that both directions are judged there.",
  rows: {
    traffic: () => measureTraffic(shape, seed, 6),
    changes: () => measureChanges(shape, seed),
    "deny-all/100k": () => measureBaselineDeny(shapes["100k/10k"], seed),
    agent: () => measureAgent(shape, seed, { atMost: 250 }),
    "agent/100k": () => measureAgent({ ...shapes["100k/10k"], clusterPolicies: 10 }, seed),
  },
};

process.exitCode =
  process.getuid?.() === 0
    ? await measurePart(dataplane, process.argv.slice(2))
    : refuse("network namespaces and nftables need root");
