import { type Shape, shapes } from "../generate/shape.js";
import { type MeasuredPart, measurePart, talk } from "../measured-part.js";
import { measureController, measureLargeCluster } from "./controller-row.js";

/** 10,000 pods, 1,000 NetworkPolicies, and ten policies of the whole cluster with 1 to 25 rules each. */
const shape: Shape = { ...shapes["10k/1k"], clusterPolicies: 10 };
/** Ten times as many of everything else. */
const large: Shape = { ...shapes["100k/10k"], clusterPolicies: 10 };
const seed = 1;

const cluster: MeasuredPart = {
  name: "cluster",
  command: "npm run bench:cluster",
  title: "The controller",
  about:
    ": `tierwall controller` on a real API server and etcd, on the same machine as both, with a generated cluster of 10,000 " +
    "pods, 1,000 NetworkPolicies and 10 ClusterNetworkPolicies; *100k* is one of 100,000 pods and 10,000 NetworkPolicies.",
  rows: {
    controller: () => measureController(shape, seed, talk),
    "controller/100k": () => measureLargeCluster(large, seed, talk),
  },
};

process.exitCode = await measurePart(cluster, process.argv.slice(2));
