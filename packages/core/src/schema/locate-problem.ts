import { given } from "../diagnostics/given.js";
import type { Path, Place } from "../diagnostics/place.js";
import type { Document } from "../manifest/document.js";
import type { Problem } from "./schema.js";

/** A problem of an object at `root` of a document: its place, and a message in the words of the file. */
export function locateProblem(
  problem: Problem,
  document: Document,
  root: Path,
): { readonly message: string; readonly place: Place; readonly path: Path; readonly hint?: string } {
  const full = [...root, ...problem.path];
  const written = problem.quote ? document.writtenAt(full) : undefined;
  return {
    message: written === undefined ? problem.message : `${problem.message}; put it in quotes: "${written}"`,
    place: problem.at === "key" ? document.placeOfKey(full) : document.placeOf(full),
    path: problem.path,
    ...given({ hint: problem.hint }),
  };
}
