// `npm run test:packets`: what is tested with real packets, alone. `-- --long` sends many more, in other clusters each day:
// npm run test:packets -- --long --seed 20261116 --clusters 200

import { parseArgs } from "node:util";
import { bin, install, requireNode, run } from "../../scripts/prepare.mjs";

const today = new Date().toISOString().slice(0, 10).replaceAll("-", "");
const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    seed: { type: "string", default: today },
    clusters: { type: "string", default: "60" },
  },
});

requireNode();
if (!install()) process.exit(1);
const longer = {
  TIERWALL_PACKET_SEED: values.seed,
  TIERWALL_PACKET_CLUSTERS: values.clusters,
  TIERWALL_STORM_CHANGES: "200",
};
const env = { ...process.env, TIERWALL_PACKET_WIRINGS: "both", ...(values.long ? longer : {}) };
if (values.long) console.log(`packets in ${values.clusters} random clusters, seed ${values.seed}`);
// What does not hang on chance was sent by `npm test`.
const byChance = ["packets/differential", "packets/established", "agent/under-traffic"];
const files = byChance.map((name) => `test/${name}.test.ts`);
const chosen = values.long ? files : ["test/packets", "test/agent", "test/kernel"];
process.exitCode = run(bin("vitest"), ["run", ...chosen], { stdio: "inherit", env }).status ?? 1;
