import { isConntrack, readConntrack, headerOf, readCsv, readJsonLine, objectOn } from "./records.js";
import { isHubble, readHubble } from "./hubble.js";
import type { ReadLine } from "./observation.js";

export const flowFormats = ["hubble", "conntrack", "csv", "jsonl"] as const;
export type FlowFormat = (typeof flowFormats)[number];

/** Reads line after line; undefined for empty lines. */
export type LineReader = (line: string) => ReadLine | undefined;

/** The format of a file, detected from the first line that is not empty. */
export function formatOf(line: string): FlowFormat | undefined {
  if (line.startsWith("{")) {
    const value = objectOn(line);
    return typeof value === "string" ? undefined : isHubble(value) ? "hubble" : "jsonl";
  }
  if (isConntrack(line) || /^conntrack v\d/.test(line)) return "conntrack";
  return headerOf(line) === undefined ? undefined : "csv";
}

/** For a table, the first line is its header: undefined where it is not one. */
export function readerOf(format: FlowFormat, first: string): LineReader | undefined {
  switch (format) {
    case "hubble":
      return readHubble;
    case "conntrack":
      return readConntrack;
    case "jsonl":
      return readJsonLine;
    case "csv": {
      const header = headerOf(first);
      if (header === undefined) return undefined;
      let isHeader = true;
      return (line) => {
        if (!isHeader) return readCsv(header, line);
        isHeader = false;
        return undefined;
      };
    }
  }
}

/** Empty lines and comments are skipped. */
export const isBlank = (line: string): boolean => line.trim() === "" || line.startsWith("#");
