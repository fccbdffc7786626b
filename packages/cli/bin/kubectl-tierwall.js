#!/usr/bin/env node
// kubectl runs this for `kubectl tierwall …`.
import { run } from "../dist/main.js";

process.exitCode = await run(process.argv.slice(2), "kubectl tierwall");
