// `npm start`: the page, on an embedded example cluster, from nothing but a clone. `npm start -- ARGS` passes arguments
// on: `npm start -- --port 9000`.

import { build, install, requireNode } from "./prepare.mjs";

requireNode();
if (install() && build()) {
  // In this process, so that whoever ends it ends the server.
  const { run } = await import("../packages/cli/dist/main.js");
  process.exitCode = await run(["serve", "--example", ...process.argv.slice(2)]);
} else {
  process.exitCode = 1;
}
