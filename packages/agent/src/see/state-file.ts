import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SavedCounts } from "./counts.js";
import { makeFolder } from "@tierwall/kube";

/** What could be read, or why not, in words for the user; neither where there is no file yet. */
export interface StateReading {
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
    return {
      problem: `\`${file}\` cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    };
  }
}

/** Whoever reads it, and whoever is killed while writing it, finds the old state or the new one. */
export function writeStateFile(file: string, saved: SavedCounts): void {
  makeFolder(dirname(file));
  const next = `${file}.next`;
  writeFileSync(next, JSON.stringify(saved), { mode: 0o600 });
  renameSync(next, file);
}

function isSavedCounts(value: unknown): value is SavedCounts {
  if (typeof value !== "object" || value === null) return false;
  const { version, node, sums, seen } = value as Partial<Record<keyof SavedCounts, unknown>>;
  return version === 1 && typeof node === "string" && isRecord(sums) && isRecord(seen);
}

const isRecord = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
