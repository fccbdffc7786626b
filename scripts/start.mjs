// `npm start`: the guided tour of an embedded example cluster, from nothing but a clone. `npm start -- ARGS` passes
// arguments on to the tour.

import { build, install, requireNode, run } from "./prepare.mjs";

requireNode();
if (install() && build()) {
  const args = ["packages/cli/bin/tierwall.js", "tour", ...process.argv.slice(2)];
  const { status } = run(process.execPath, args, { stdio: "inherit" });
  // No status: a signal ended it, Ctrl+C most likely.
  process.exitCode = status ?? 130;
} else {
  process.exitCode = 1;
}
