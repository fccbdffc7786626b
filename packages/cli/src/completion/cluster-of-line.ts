import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import type { ChunkedSource } from "@tierwall/core";
import { readCluster } from "@tierwall/core/state";
import type { Command } from "commander";
import { bigFile, filesAt } from "@tierwall/kube";
import { pathsFrom } from "../config/apply-config.js";
import { type Config, readConfig } from "../config/config.js";
import { findConfig } from "../config/find-config.js";
import type { LiveFlags } from "../input/live.js";
import type { ClusterOf } from "./complete.js";
import type { Given } from "./slot.js";

/** The user waits for the answer to a key: what cannot be read in that time is not offered. */
const patience = 800;
/** How many characters are read between two looks at the clock. */
const step = 64 * 1024;

/**
 * The cluster in the files that a line names with -f, or tierwall.yaml for it. Standard input is not available yet. Where there
 * are no files a live cluster is meant, which takes longer: `askLive` gets its flags, and the word to complete.
 */
export function clusterOfLine(
  program: Command,
  askLive: (flags: LiveFlags, word: string) => void,
): ClusterOf {
  return (command, given, word) => {
    const config = configOf(program, given);
    const said = (name: string) => given.get(name) ?? settingOf(name, command, config);
    const paths = said("filename");
    if (paths.length === 0) {
      const [kubeconfig, context] = [said("kubeconfig").at(-1), said("context").at(-1)];
      const flags = {
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(context === undefined ? {} : { context }),
      };
      askLive(flags, word);
      return undefined;
    }
    const recursive = given.has("recursive") || settingOf("recursive", command, config)[0] === "true";
    const files = paths.filter((path) => path !== "-").flatMap((path) => filesAt(path, recursive).files);
    const end = performance.now() + patience;
    return readCluster(files.map((file) => readWhile(() => performance.now() < end, file)));
  };
}

/** A file that breaks off when time is up; the objects before that are whole. */
export function readWhile(thereIsTime: () => boolean, file: string): ChunkedSource {
  const whole = bigFile(file, file, statSync(file).size, () => undefined);
  return {
    file,
    *chunks() {
      for (const chunk of whole.chunks())
        for (let at = 0; at < chunk.length; at += step) {
          if (!thereIsTime()) return;
          yield chunk.slice(at, at + step);
        }
    },
  };
}

function configOf(program: Command, given: Given): Config | undefined {
  // Negated or not, it goes by one name; only --config has a value.
  const named = given.get("config");
  const file = named === undefined ? findConfig(process.cwd(), homedir()) : named.at(-1);
  const read = file === undefined ? undefined : readConfig(file, program);
  return read?.ok === true ? read.config : undefined;
}

function settingOf(name: string, command: Command, config: Config | undefined): readonly string[] {
  const option = command.options.find((one) => one.attributeName() === name);
  const value = option && config?.settings(command, option)?.value;
  if (option === undefined || config === undefined || value === undefined) return [];
  return typeof value === "boolean" ? [String(value)] : pathsFrom(dirname(config.file), option, value);
}
