// Fails when a generated page is not what the code would write today.

import { run } from "./prepare.mjs";

process.exitCode =
  run(process.execPath, ["scripts/generate.mjs", "--check"], { stdio: "inherit" }).status ?? 1;
