import { describe, expect, it } from "vitest";
import { connectionMask, count, duration, logGroup } from "./quantity.js";

describe("times", () => {
  it.each([
    ["60s", 60_000],
    ["5m", 300_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
  ])("%s is %d ms", (text, milliseconds) => expect(duration(text)).toBe(milliseconds));

  it.each(["60", "s", "", "-1s", "0s", "1d", "1 s", "1e3s"])("`%s` is none", (text) => {
    expect(() => duration(text)).toThrow(`\`${text}\` is not a time`);
  });
});

it("times that no timer can wait for are refused", () => {
  expect(duration("576h")).toBe(2_073_600_000);
  expect(() => duration("9999h")).toThrow("take at most 576h");
});

it("groups of NFLOG have 16 bits", () => {
  expect(logGroup("65535")).toBe(65_535);
  expect(() => logGroup("65536")).toThrow("up to 65535");
});

describe("counts", () => {
  it("are whole numbers above 0", () => expect(count("25")).toBe(25));
  it.each(["0", "-1", "1.5", "ten", ""])("`%s` is none", (text) => {
    expect(() => count(text)).toThrow("not a whole number above 0");
  });
});

describe("masks of connection marks", () => {
  it.each([
    ["0xffff0000", 0xffff0000],
    ["0x00FF0000", 0x00ff0000],
    ["255", 0xff],
    ["0xffffffff", 0xffffffff],
  ])("%s is one", (text, value) => expect(connectionMask(text)).toBe(value));

  it.each([
    ["not in a row", "0xff00ff00"],
    ["too few", "0x7f"],
    ["none", "0"],
    ["more than 32 bits", "8589934591"],
    ["no number", "ffff"],
  ])("bits that are %s are refused", (_, text) => {
    expect(() => connectionMask(text)).toThrow("eight bits in a row");
  });
});
