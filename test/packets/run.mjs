// `npm run test:packets`: what is tested with real packets, alone. `-- --long` sends many more, in other clusters each day:
// npm run test:packets -- --long --seed 20261116 --clusters 200

import { parseArgs } from "node:util";
import { bin, install, requireNode, run } from "../../scripts/prepare.mjs";
import { longRandomRuns, randomFiles, today } from "./random-runs.mjs";

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    seed: { type: "string", default: today() },
    clusters: { type: "string", default: "60" },
  },
});

requireNode();
if (!install()) process.exit(1);
const longer = values.long ? longRandomRuns(values) : {};
const env = { ...process.env, TIERWALL_PACKET_WIRINGS: "both", ...longer };
if (values.long) console.log(`packets in ${values.clusters} random clusters, seed ${values.seed}`);
const chosen = values.long ? randomFiles : ["test/packets", "test/agent", "test/kernel"];
process.exitCode = run(bin("vitest"), ["run", ...chosen], { stdio: "inherit", env }).status ?? 1;
