import type { Flow } from "../evaluate/flow.js";

/* Texts that all reports share. */

/** `1,234`. */
export const numberText = (count: number): string => count.toLocaleString("en");

/** `1 connection`, `2 connections`, `2 policies`. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}

/** `:80/TCP`, `ICMP`. */
export const portText = ({ protocol, port }: Pick<Flow, "protocol" | "port">): string =>
  protocol === "ICMP" ? "ICMP" : `:${port}/${protocol}`;
