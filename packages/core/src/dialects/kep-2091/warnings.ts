import type { Path } from "../../diagnostics/place.js";
import type { LowerContext } from "../dialect.js";
import type { KepPeer, KepPort } from "./schema.js";

/*
 * Parts that are valid and match nothing, while similar ones in a NetworkPolicy would
 * match everything.
 */

// S5.6
export function warnOfDeadPeers(
  peers: readonly KepPeer[] | undefined,
  path: Path,
  context: LowerContext,
): void {
  const field = String(path.at(-1));
  const hint = `For every pod of the cluster, write \`${field}: [{namespaces: {namespaceSelector: {}}}]\`.`;
  if (peers === undefined)
    warn(context, path.slice(0, -1), `\`${field}\` is missing, so this rule matches nothing`, hint);
  if (peers?.length === 0) warn(context, path, `\`${field}\` is empty, so this rule matches nothing`, hint);
  for (const [i, peer] of (peers ?? []).entries())
    for (const where of emptyLabelSets(peer))
      warn(
        context,
        [...path, i, ...where],
        `\`${where.at(-1)}\` is empty, so this peer matches nothing`,
        "List the label keys to compare.",
      );
}

// S5.4: an empty list selects nothing.
function emptyLabelSets({ namespaces, namespacedPods }: KepPeer): readonly string[][] {
  const sets: readonly (readonly [string[], object | undefined])[] = [
    [["namespaces"], namespaces],
    [["namespacedPods", "namespaces"], namespacedPods?.namespaces],
    [["namespacedPods", "pods"], namespacedPods?.pods],
  ];
  return sets.flatMap(([path, set]) =>
    Object.entries(set ?? {})
      .filter(([, value]) => Array.isArray(value) && value.length === 0)
      .map(([key]) => [...path, key]),
  );
}

// S5.5
export function warnOfDeadPorts(
  ports: readonly KepPort[] | undefined,
  path: Path,
  context: LowerContext,
): void {
  if (ports?.length === 0)
    warn(
      context,
      path,
      "`ports` is empty, so this rule matches nothing",
      "For every port, write `allPorts: true` instead.",
    );
  for (const [i, { port }] of (ports ?? []).entries())
    if (port === undefined)
      warn(
        context,
        [...path, i],
        "this entry has no `port`, so it matches nothing",
        "For every port of a protocol, write `port: 1` and `endPort: 65535`.",
      );
}

function warn(context: LowerContext, path: Path, message: string, hint: string): void {
  context.warn({
    code: "TW2013",
    path,
    at: typeof path.at(-1) === "number" ? "value" : "key",
    message,
    hint,
  });
}
