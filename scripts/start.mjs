// `npm start`: the page, on an embedded example cluster, from nothing but a clone. `npm start -- ARGS` passes arguments
// on: `npm start -- --port 9000`. `npm start --port 9000` works as well.

import { build, install, isMain, requireNode } from "./prepare.mjs";

/**
 * The command line of `tierwall serve`. Without `--`, npm takes `--port` for an option of its own: `--port=9000` is in the
 * environment, and of `--port 9000` the number is left over as an argument.
 *
 * @param {readonly string[]} args
 * @param {{ npm_config_port?: string }} environment
 */
export function serveArguments(args, { npm_config_port: port }) {
  if (port === undefined || port === "") return ["serve", "--example", ...args];
  if (port !== "true") return ["serve", "--example", "--port", port, ...args];
  const at = args.findIndex((word) => /^\d+$/.test(word));
  if (at === -1) return ["serve", "--example", ...args, "--port"];
  return ["serve", "--example", "--port", args[at], ...args.toSpliced(at, 1)];
}

if (isMain(import.meta.url)) {
  requireNode();
  if (install() && build()) {
    // In this process, so that the server ends with it.
    const { run } = await import("../packages/cli/dist/main.js");
    process.exitCode = await run(serveArguments(process.argv.slice(2), process.env));
  } else {
    process.exitCode = 1;
  }
}
