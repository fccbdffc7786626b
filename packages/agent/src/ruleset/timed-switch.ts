import type { NamedSet } from "./ruleset.js";
import { changesText } from "./set-change.js";

/*
 * A set that contains both families for a limited time. A rule checks it with `meta nfproto @SET`, and the kernel expires it,
 * whatever happened to the agent.
 */

export const timedSwitch: NamedSet = {
  kind: "set",
  type: "nf_proto",
  flags: ["timeout"],
  elements: "learned",
};

/** By number: IPv4 and IPv6, as nft prints them. */
const families = ["2", "10"] as const;

/** The lines that switch it on for this long. */
export const switchOn = (table: string, set: string, milliseconds: number): string =>
  changesText(
    families.map((key) => ({ kind: "renew", set, element: { key, milliseconds } })),
    table,
  );
