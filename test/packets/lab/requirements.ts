import { spawnSync } from "node:child_process";
import { threadId } from "node:worker_threads";
import { describe } from "vitest";
import { onlyInFull } from "../../slice.mjs";
import type { Wiring } from "./wiring.js";

/** By command, the Debian package it is in. */
const tools = {
  ip: "iproute2",
  nft: "nftables",
  conntrack: "conntrack",
  nsenter: "util-linux",
  python3: "python3",
};

/** Why there can be no lab on this machine; undefined where there can. */
export function labIsMissing(): string | undefined {
  const absent = Object.entries(tools).filter(
    ([tool]) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0,
  );
  if (absent.length > 0) return `install ${absent.map(([, name]) => name).join(", ")}`;
  const space = `twp${process.pid}-${threadId}-try`;
  const made = spawnSync("ip", ["netns", "add", space], { encoding: "utf8" });
  if (made.status !== 0) return `network namespaces need root: ${made.stderr.trim()}`;
  spawnSync("ip", ["netns", "del", space]);
  return undefined;
}

/** Milliseconds; a lab is dozens of namespaces, which a busy machine takes a while to make. */
export const labTimeout = 1_200_000;

/** Behind the title of tests that are skipped. */
export const because = (reason: string | undefined): string =>
  reason === undefined ? "" : ` (skipped: ${reason})`;

/** What holds however pods are wired; a slice has them routed. */
export function describeOnBothWirings(title: string, body: (wiring: Wiring) => void): void {
  const reason = labIsMissing();
  for (const wiring of ["routed", "bridged"] as const) {
    const options = wiring === "routed" ? {} : onlyInFull;
    describe.skipIf(reason !== undefined)(`${title}, pods ${wiring}${because(reason)}`, options, () => {
      body(wiring);
    });
  }
}
