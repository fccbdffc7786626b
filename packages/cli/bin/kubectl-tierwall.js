#!/usr/bin/env node
// kubectl runs this for `kubectl tierwall …`.
import { run } from "../dist/bundle/main.js";

process.exitCode = await run(process.argv.slice(2), "kubectl tierwall");
