import { visible } from "./visible.js";

/** A span of text in a file, as editors count: lines and columns start at 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Characters to underline on that line; at least 1. */
  readonly length: number;
}

/** The file name of objects of a cluster, which are in no file. */
export const clusterFile = "<cluster>";

/** The path to a field: `["spec", "ingress", 0, "from"]`. */
export type Path = readonly (string | number)[];

/** `spec.ingress[0].from`; keys that are not plain words are quoted. */
export function formatPath(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${visible(JSON.stringify(step))}]`;
  }
  return text;
}

/** The inverse of `formatPath`, for paths of plain words and numbers. */
export function parsePath(text: string): Path {
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([word, index]) =>
    index === undefined ? word : Number(index),
  );
}

/** Whether `path` is `prefix` or leads to something inside it. */
export function isWithin(path: Path, prefix: Path): boolean {
  return path.length >= prefix.length && prefix.every((step, i) => path[i] === step);
}

/** A place that is found on first use, as finding it may require reading a whole file. */
export function foundOnce(find: () => Place | undefined): () => Place | undefined {
  let found: { readonly place: Place | undefined } | undefined;
  return () => (found ??= { place: find() }).place;
}
