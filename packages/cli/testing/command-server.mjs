// Runs command lines one after the other in this process, as `bin/tierwall.js` would each in its own, and answers with what they
// printed: a start takes longer than most answers. `one-process.ts` asks, in slices only.

import { run } from "../dist/bundle/main.js";

const streams = { stdout: process.stdout, stderr: process.stderr };
// Every command listens for errors of these.
for (const stream of Object.values(streams)) stream.setMaxListeners(0);

process.on("message", (commandLine) => void answer(commandLine));
process.on("disconnect", () => process.exit());

async function answer({ args, cwd, env }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const printed = { stdout: "", stderr: "" };
  for (const [name, stream] of Object.entries(streams))
    stream.write = (chunk, encoding, done) => {
      printed[name] += chunk.toString();
      (typeof encoding === "function" ? encoding : done)?.();
      return true;
    };
  const status = await run(args);
  process.send({ status, ...printed });
}
