import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../version.js";

/** Where a CI job gets Tierwall from: what runs now, so that the job decides as this command does. */
export type Installation =
  | { readonly from: "npm"; readonly version: string }
  /** A clone of the source; the URL is unknown if the clone has no remote that others can read. */
  | { readonly from: "source"; readonly repository: string | undefined; readonly commit: string };

/** To be replaced by the user. */
export const unknownRepository = "https://example.com/tierwall.git";

/** A clone is recognised by its folders: an installed package may be inside any other repository. */
export function ownInstallation(): Installation {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = git(here, "rev-parse", "--show-toplevel");
  const commit = git(here, "rev-parse", "HEAD");
  if (root === undefined || commit === undefined || !here.startsWith(join(root, "packages/cli/")))
    return { from: "npm", version };
  const remote = git(here, "remote", "get-url", "origin");
  return { from: "source", repository: remote === undefined ? undefined : publicUrl(remote), commit };
}

/** The URL of a remote without a user or a password, and over HTTPS; undefined for a path on this machine. */
export function publicUrl(remote: string): string | undefined {
  const [, host, path] = /^(?:ssh:\/\/)?(?:[^@/\s]+@)([^/:\s]+)(?::\d+\/|[:/])(.+)$/.exec(remote) ?? [];
  if (!remote.startsWith("http"))
    return host === undefined || path === undefined ? undefined : `https://${host}/${path}`;
  if (!URL.canParse(remote)) return undefined;
  const url = new URL(remote);
  url.username = "";
  url.password = "";
  return url.href;
}

function git(folder: string, ...args: readonly string[]): string | undefined {
  try {
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: [...stdio] }).trim();
  } catch {
    // No git, no repository, or no such remote.
    return undefined;
  }
}
