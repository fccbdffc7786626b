import { existsSync, readFileSync } from "node:fs";
import { isObject } from "@tierwall/core/manifest";
import { messageOf } from "@tierwall/kube";
import type { SavedCounts } from "./counts.js";

/** The saved state, or a message why it cannot be read; neither if there is no file yet. */
interface StateReading {
  readonly saved?: SavedCounts;
  readonly problem?: string;
}

export function readStateFile(file: string): StateReading {
  if (!existsSync(file)) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isSavedCounts(value)) return { saved: value };
    return { problem: `\`${file}\` is not a state file of the agent, or is from another version` };
  } catch (cause) {
    return { problem: `cannot read \`${file}\`: ${messageOf(cause)}` };
  }
}

function isSavedCounts(value: unknown): value is SavedCounts {
  if (!isObject(value)) return false;
  const { version, node, sums, seen } = value;
  return version === 1 && typeof node === "string" && isObject(sums) && isObject(seen);
}
