import { InvalidArgumentError } from "commander";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Timers count milliseconds in 31 bits, and take what does not fit for one. */
const longest = 2 ** 31 - 1;

/** `60s`, `5m`, `1h`, `250ms`, and the numbers in milliseconds that they are. */
export function duration(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const value = Number(count) * (units[unit ?? ""] ?? Number.NaN);
  if (!(value > 0)) throw new InvalidArgumentError(`\`${text}\` is not a time, such as 60s, 5m or 1h`);
  if (value > longest)
    throw new InvalidArgumentError(`\`${text}\` is longer than 24 days: take at most 576h`);
  return value;
}

const sizeUnits: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
};

/** `512Mi`, `2Gi`, `500M`: as Kubernetes writes quantities of bytes. */
export function size(text: string): number {
  const [, count, unit = ""] = /^(\d{1,12})(k|M|G|Ki|Mi|Gi)?$/.exec(text) ?? [];
  const value = Number(count) * sizeUnits[unit]!;
  if (!(value > 0)) throw new InvalidArgumentError(`\`${text}\` is not a size, such as 512Mi or 2Gi`);
  return value;
}

export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError(`\`${text}\` is not a whole number above 0`);
  return Number(text);
}

/** NFLOG has 16 bits for it. */
export function logGroup(text: string): number {
  const group = count(text);
  if (group > 0xffff) throw new InvalidArgumentError(`\`${text}\` is no group of NFLOG: they go up to 65535`);
  return group;
}

/** Bits in a row: a generation is counted in them, and two say what a connection is. */
export function connectionMask(text: string): number {
  const value = /^(0x[\da-f]{1,8}|\d{1,10})$/i.test(text) ? Number(text) : Number.NaN;
  const bits = value.toString(2).replace(/0+$/, "");
  if (value <= 0xffffffff && /^1{8,}$/.test(bits)) return value;
  throw new InvalidArgumentError(
    `\`${text}\` is not a mask of at least eight bits in a row, such as 0xffff0000 or 0x00ff0000`,
  );
}

/** 0 is a free port. */
export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError("It is a number from 0 to 65535.");
  return port;
}
