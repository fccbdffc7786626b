import type { NamedSet } from "./ruleset.js";
import { changesText } from "./set-change.js";

/*
 * A set that is on for a while. A rule asks whether the family of a packet is in it, `meta nfproto @SET`, and the kernel keeps the
 * time, whatever became of the agent.
 */

export const timedSwitch: NamedSet = {
  kind: "set",
  type: "nf_proto",
  flags: ["timeout"],
  elements: "learned",
};

/** By number: IPv4 and IPv6, as nft prints them. */
const families = ["2", "10"] as const;

/** The lines that switch it on, from now on for this long. */
export const switchOn = (table: string, set: string, milliseconds: number): string =>
  changesText(
    families.map((key) => ({ kind: "renew", set, element: { key, milliseconds } })),
    table,
  );
