import { Buffer } from "node:buffer";

/*
 * The few words of DER that a certificate is written in (ITU-T X.690). Every value is a tag, a length and its contents.
 */

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  generalizedTime: 0x18,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const digits = Buffer.from(evenHex(length.toString(16)), "hex");
  return Buffer.concat([Buffer.of(0x80 | digits.length), digits]);
}

const evenHex = (digits: string): string => (digits.length % 2 === 0 ? digits : `0${digits}`);

export const sequence = (...items: readonly Uint8Array[]): Buffer => tagged(tags.sequence, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => tagged(tags.set, ...items);
export const octets = (contents: Uint8Array): Buffer => tagged(tags.octetString, contents);
export const utf8 = (text: string): Buffer => tagged(tags.utf8, Buffer.from(text, "utf8"));
export const yes = (): Buffer => tagged(tags.boolean, Buffer.of(0xff));

/** A number that is not negative, big end first. */
export function integer(digits: Uint8Array): Buffer {
  const first = digits.findIndex((digit) => digit !== 0);
  const short = first === -1 ? Buffer.of(0) : Buffer.from(digits.subarray(first));
  // The first bit is the sign.
  return tagged(tags.integer, short[0]! < 0x80 ? short : Buffer.concat([Buffer.of(0), short]));
}

/** `unused` of the last bits do not count. */
export const bits = (contents: Uint8Array, unused = 0): Buffer =>
  tagged(tags.bitString, Buffer.of(unused), contents);

/** `1.2.840.10045.4.3.2` */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return tagged(tags.oid, Buffer.from([first * 40 + second, ...rest].flatMap(inSevens)));
}

/** Seven bits a byte, the first bit telling whether another one follows. */
function inSevens(value: number): readonly number[] {
  const last = value % 128;
  const before = Math.floor(value / 128);
  return before === 0 ? [last] : [...inSevens(before).map((digit) => digit | 0x80), last];
}

/** In seconds; years after 2049 are written in another way (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().replaceAll(/[-:T]|\.\d+Z$/g, "")}Z`;
  return date.getUTCFullYear() < 2050
    ? tagged(tags.utcTime, Buffer.from(text.slice(2)))
    : tagged(tags.generalizedTime, Buffer.from(text));
}

/** A field that goes by its number: `outer` around a value of its own, or else in the place of its tag. */
export const field = (number: number, contents: Uint8Array, form: "outer" | "plain"): Buffer =>
  tagged((form === "outer" ? 0xa0 : 0x80) | number, contents);
