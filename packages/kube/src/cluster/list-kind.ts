import type { JsonObject } from "@tierwall/core/manifest";
import { type ApiReader, type Failed, failed } from "./api-reader.js";
import type { Discovered } from "./discovery.js";
import { pathOf, type WatchedKind } from "./kinds.js";
import { listAt, textAt } from "./object-fields.js";

/** A large list comes in pages. */
const pageSize = 500;

interface ListListener {
  /** A list begins, also where one in another version broke off: what was taken of that does not count. */
  readonly begin: () => void;
  /** Called page by page, so that other work is not delayed for long. */
  readonly take: (object: JsonObject) => void;
}

interface ListedKind {
  /** The version of the API. */
  readonly served: string;
  /** The resource version of the list. */
  readonly version: string;
}

/**
 * Lists all objects of a kind in a version that is served: one that is known, else any other, so that no object vanishes
 * because its version is new (S3.10).
 *
 * What discovery does not name is requested as well: a server that is just starting may not know all definitions
 * yet, and reports so only when the objects are requested.
 */
export async function listKind(
  kind: WatchedKind,
  discovered: Discovered | undefined,
  reader: ApiReader,
  { begin, take }: ListListener,
): Promise<ListedKind | Failed> {
  const served =
    discovered === undefined || "trouble" in discovered ? undefined : discovered.served.versionsOf(kind);
  for (const version of versionsToTry(kind, served)) {
    begin();
    const listed = await listPages(reader, pathOf(kind, version), kind.kind, take);
    if (!("trouble" in listed)) return { served: version, ...listed };
    const { kind: what } = listed.trouble;
    // The right to list is checked before whether there is anything to list.
    const isAbsent = what === "missing" || (what === "forbidden" && served?.length === 0);
    // Other versions have the same rights, and the same server.
    if (!isAbsent) return listed;
  }
  return discovered !== undefined && "trouble" in discovered ? discovered : notServed(kind);
}

async function listPages(
  reader: ApiReader,
  path: string,
  kind: string,
  take: ListListener["take"],
): Promise<Pick<ListedKind, "version"> | Failed> {
  for (let next = ""; ; ) {
    const more = next === "" ? "" : `&continue=${encodeURIComponent(next)}`;
    const page = await reader.read(`${path}?limit=${pageSize}${more}`);
    if ("trouble" in page) return page;
    const { body } = page;
    const version = textAt(body, "metadata", "resourceVersion");
    // Something on the way may answer anything, and an empty cluster is not what it means.
    if (version === "") return failed("the answer is not a list of objects");
    // Items of a list do not have a kind.
    for (const item of listAt(body, "items") as readonly JsonObject[])
      take({ ...item, apiVersion: body!.apiVersion!, kind });
    next = textAt(body, "metadata", "continue");
    if (next === "") return { version };
  }
}

function versionsToTry({ versions }: WatchedKind, served: readonly string[] | undefined): readonly string[] {
  if (served === undefined || served.length === 0) return versions;
  const known = versions.filter((version) => served.includes(version));
  return [...known, ...served.filter((version) => !versions.includes(version))];
}

const notServed = ({ kind, group }: WatchedKind): Failed => ({
  trouble: { kind: "missing", message: `the API server does not serve ${kind} of ${group}` },
});
