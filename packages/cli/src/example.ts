import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The example cluster: shipped within this package, or next to it in the source tree; the bundle is a folder further down. */
export function exampleFolder(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  const found = ["..", "../..", "../../..", "../../../.."]
    .map((above) => join(here, above, "examples/mixed-six-apis"))
    .find((path) => existsSync(path));
  return found === undefined ? undefined : shown(found);
}

export const exampleIsMissing =
  "the example cluster is not installed with this command; it is in examples/mixed-six-apis of the source";

/** Short where it can be: relative to where the user stands. */
function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
