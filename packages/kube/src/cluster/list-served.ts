import type { Discovered } from "./discovery.js";
import type { WatchedKind } from "./kinds.js";
import type { Trouble } from "./trouble.js";

type ListedVersion<T> = { readonly version: string; readonly listed: T } | { readonly trouble: Trouble };

/**
 * Lists a kind in a version that is served: one that is known, else any other, so that no object vanishes because its
 * version is new (S3.10).
 *
 * What discovery does not name is asked for all the same: a server that is just starting may not know all definitions
 * yet, and says so only where it is asked for the objects.
 */
export async function listServed<T extends object>(
  kind: WatchedKind,
  discovered: Discovered | undefined,
  list: (version: string) => Promise<T | { readonly trouble: Trouble }>,
): Promise<ListedVersion<T>> {
  const served =
    discovered === undefined || "trouble" in discovered ? undefined : discovered.served.versionsOf(kind);
  let trouble: Trouble =
    discovered !== undefined && "trouble" in discovered ? discovered.trouble : notServed(kind);
  for (const version of versionsToTry(kind, served)) {
    const listed = await list(version);
    if (!("trouble" in listed)) return { version, listed };
    const isAbsent = listed.trouble.kind === "forbidden" && served?.length === 0;
    // The right to list is checked before whether there is anything to list.
    if (listed.trouble.kind === "missing" || isAbsent) continue;
    trouble = listed.trouble;
    // Others have the same rights, and the same server.
    break;
  }
  return { trouble };
}

function versionsToTry({ versions }: WatchedKind, served: readonly string[] | undefined): readonly string[] {
  if (served === undefined || served.length === 0) return versions;
  const known = versions.filter((version) => served.includes(version));
  return [...known, ...served.filter((version) => !versions.includes(version))];
}

const notServed = ({ kind, group }: WatchedKind): Trouble => ({
  kind: "missing",
  message: `the API server does not serve ${kind} of ${group}`,
});
