import { existsSync, readFileSync } from "node:fs";
import { isObject } from "@tierwall/core/manifest";
import { messageOf } from "@tierwall/kube";
import type { SavedCounts } from "./counts.js";

/** What could be read, or why not, in words for the user; neither where there is no file yet. */
interface StateReading {
  readonly saved?: SavedCounts;
  readonly problem?: string;
}

export function readStateFile(file: string): StateReading {
  if (!existsSync(file)) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isSavedCounts(value)) return { saved: value };
    return { problem: `\`${file}\` is no state of the agent, or that of another version` };
  } catch (cause) {
    return { problem: `\`${file}\` cannot be read: ${messageOf(cause)}` };
  }
}

function isSavedCounts(value: unknown): value is SavedCounts {
  if (!isObject(value)) return false;
  const { version, node, sums, seen } = value;
  return version === 1 && typeof node === "string" && isObject(sums) && isObject(seen);
}
