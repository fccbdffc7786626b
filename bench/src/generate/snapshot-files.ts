import { closeSync, openSync, writeSync } from "node:fs";
import type { JsonObject } from "./json.js";
import { toYaml } from "./yaml.js";

/** One List of all objects, as `kubectl get -o json` and `-o yaml` print it. */
export const formats = {
  json: {
    begin: '{\n    "apiVersion": "v1",\n    "items": [\n',
    item: (object) => `        ${JSON.stringify(object, undefined, 4).replaceAll("\n", "\n        ")}`,
    between: ",\n",
    end: '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n',
  },
  yaml: {
    begin: "apiVersion: v1\nitems:\n",
    item: (object) => toYaml([object]),
    between: "",
    end: 'kind: List\nmetadata:\n  resourceVersion: ""\n',
  },
} as const satisfies Record<string, Format>;

interface Format {
  readonly begin: string;
  readonly item: (object: JsonObject) => string;
  readonly between: string;
  readonly end: string;
}

export type FormatName = keyof typeof formats;

/** The text in pieces; together they may be longer than a string can be. */
export function* listText(objects: Iterable<JsonObject>, format: FormatName): Iterable<string> {
  const { begin, item, between, end }: Format = formats[format];
  yield begin;
  let first = true;
  for (const object of objects) {
    yield `${first ? "" : between}${item(object)}`;
    first = false;
  }
  yield end;
}

const pieceSize = 2 ** 20;

/** Returns how many bytes it wrote. */
export function writeSnapshot(path: string, objects: Iterable<JsonObject>, format: FormatName): number {
  const file = openSync(path, "w");
  try {
    let bytes = 0;
    let piece = "";
    for (const part of listText(objects, format)) {
      piece += part;
      if (piece.length < pieceSize) continue;
      bytes += writeSync(file, piece);
      piece = "";
    }
    return bytes + writeSync(file, piece);
  } finally {
    closeSync(file);
  }
}
