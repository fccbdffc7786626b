import { Buffer } from "node:buffer";

/*
 * The few words of DER that a certificate is written in (ITU-T X.690). Every value is a tag, a length and its contents.
 */

const tagged =
  (tag: number) =>
  (...contents: readonly Uint8Array[]): Buffer => {
    const body = Buffer.concat(contents);
    return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
  };

/** In as few bytes as possible. Our certificates have no more than 65,535. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}

export const sequence = tagged(0x30);
export const set = tagged(0x31);
export const octets = tagged(0x04);
export const utf8 = (text: string): Buffer => tagged(0x0c)(Buffer.from(text, "utf8"));
export const yes = (): Buffer => tagged(0x01)(Buffer.of(0xff));

/** A number that is not negative, big end first. */
export function integer(digits: Uint8Array): Buffer {
  const first = digits.findIndex((digit) => digit !== 0);
  const short = first === -1 ? Buffer.of(0) : Buffer.from(digits.subarray(first));
  // The first bit is the sign.
  return tagged(0x02)(Buffer.alloc(short[0]! < 0x80 ? 0 : 1), short);
}

/** `unused` of the last bits do not count. */
export const bits = (contents: Uint8Array, unused = 0): Buffer => tagged(0x03)(Buffer.of(unused), contents);

/** `1.2.840.10045.4.3.2` */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return tagged(0x06)(Buffer.from([first * 40 + second, ...rest].flatMap(inSevens)));
}

/** Seven bits per byte; the first bit is set if another byte follows. */
function inSevens(value: number): readonly number[] {
  const last = value % 128;
  const before = Math.floor(value / 128);
  return before === 0 ? [last] : [...inSevens(before).map((digit) => digit | 0x80), last];
}

/** In seconds; years after 2049 are written in another way (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().replaceAll(/[-:T]|\.\d+Z$/g, "")}Z`;
  const isLate = date.getUTCFullYear() >= 2050;
  return tagged(isLate ? 0x18 : 0x17)(Buffer.from(isLate ? text : text.slice(2)));
}

/** A field that is identified by its number: `outer` around a value, or otherwise instead of its tag. */
export const field = (number: number, contents: Uint8Array, form: "outer" | "plain"): Buffer =>
  tagged((form === "outer" ? 0xa0 : 0x80) | number)(contents);
