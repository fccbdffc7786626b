// `npm run test:whole-cluster`: a cluster of two nodes on this machine, with kubelets, in which Tierwall is installed as an
// administrator would. It takes root, some minutes, and 2 GB of disk; what it makes is gone when it ends.

import { bin, build, install, requireNode, run, say } from "../../scripts/prepare.mjs";
import { getPrograms } from "../../scripts/kube-binaries.mjs";
import { whyNoWholeCluster } from "./needs.mjs";
import { programs } from "./programs.mjs";

requireNode();
const reason = whyNoWholeCluster();
if (reason !== undefined) {
  say(`SKIPPED: no whole cluster here: ${reason}`);
  process.exit(0);
}
if (!install() || !build()) process.exit(1);
await getPrograms(programs);
const args = ["run", "--config", "test/whole-cluster/vitest.config.ts", ...process.argv.slice(2)];
process.exitCode = run(bin("vitest"), args, { stdio: "inherit" }).status ?? 1;
