#!/usr/bin/env node
// kubectl asks this what could follow `kubectl tierwall …`; the answer is in the form it expects.
import { run } from "../dist/bundle/main.js";

process.exitCode = await run(["__complete", "--", ...process.argv.slice(2)], "kubectl tierwall");
