import { expect } from "vitest";
import type { NodeLab } from "./node-lab.js";

/** The ports on which every pod of a lab answers. */
const served = [8080, 9090];

/** Which of them pod a reaches at an address. */
export async function reachedAt(lab: NodeLab, address: string): Promise<readonly number[]> {
  const open = await Promise.all(served.map((port) => lab.reaches("a", address, port)));
  return served.filter((_, i) => open[i]);
}

/**
 * Pod a reaches these ports at an address, and no others. What is denied is so from the first packet on; of what is allowed a
 * packet may be lost on a machine that is busy, and is sent again.
 */
export async function expectReached(lab: NodeLab, address: string, ports: readonly number[]): Promise<void> {
  const first = await reachedAt(lab, address);
  expect(first.filter((port) => !ports.includes(port))).toEqual([]);
  await expect.poll(() => reachedAt(lab, address)).toEqual(ports);
}
