import { describe, expect, it } from "vitest";
import {
  cidr,
  domainName,
  exceptInside,
  labelKey,
  labelValue,
  namespaceName,
  objectName,
  portName,
} from "./formats.js";
import type { Format } from "./schema.js";

const long = (length: number) => "a".repeat(length);

interface Case {
  readonly format: Format;
  readonly code: string;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

const cases: readonly Case[] = [
  {
    format: labelKey,
    code: "TW1301",
    right: ["app", "App_1.x-y", "a", "9", "app.kubernetes.io/name", "x.y/Z", long(63), `${long(253)}/a`],
    wrong: [
      "",
      "-app",
      "app-",
      ".a",
      "a/b/c",
      "/a",
      "a/",
      "Example.com/a",
      "a b",
      "ä",
      long(64),
      `${long(254)}/a`,
      "a..b/c",
      "a\n",
    ],
  },
  {
    format: labelValue,
    code: "TW1302",
    right: ["", "web", "v1.2_3-x", "A", long(63)],
    wrong: ["-web", "web-", "a b", "a/b", "a:b", long(64), "ü", "web\n"],
  },
  {
    format: portName,
    code: "TW1307",
    right: ["web", "http-metrics", "p80", "80p", long(15)],
    wrong: ["", "80", "Web", "-web", "web-", "a--b", "web_1", "http.1", long(16), "web\n"],
  },
  {
    format: domainName,
    code: "TW1308",
    right: [
      "example.com",
      "*.example.com",
      "a.b.c.d",
      "Example.COM",
      "example.com.",
      "*.example.com.",
      "xn--bcher-kva.example",
    ],
    wrong: [
      "",
      ".",
      "com",
      "*",
      "*.com",
      "*.com.",
      "*example.com",
      "a.*.com",
      "*.*.example.com",
      "**.example.com",
      "example..com",
      ".example.com",
      "-a.example",
      "a-.example",
      "exa mple.com",
      `${long(64)}.com`,
      "http://example.com",
    ],
  },
  {
    format: namespaceName,
    code: "TW1103",
    right: ["shop", "team-a", "0", long(63)],
    wrong: ["", "Shop", "a.b", "a_b", "-a", "a-", long(64)],
  },
  {
    format: objectName,
    code: "TW1103",
    right: ["np", "a.b.c", "0-a", long(253)],
    wrong: ["", "NP", "a..b", ".a", "a.", "a_b", "a/b", "-a", long(254)],
  },
  {
    format: cidr,
    code: "TW1304",
    right: ["10.0.0.0/8", "0.0.0.0/0", "::/0", "fd00::/8", "192.0.2.1/32"],
    wrong: [
      "",
      "10.0.0.0",
      "10.0.0.0/33",
      "10.0.0.256/24",
      "010.0.0.0/8",
      "10.0.0.0/08",
      "fd00::/129",
      "::ffff:10.0.0.0/104",
      "10.0.0.0/8 ",
    ],
  },
];

describe.each(cases)("$format.name", ({ format, code, right, wrong }) => {
  it.each(right)("takes %j", (text) => expect(format.check(text)).toEqual([]));

  it.each(wrong)("refuses %j, and quotes it", (text) => {
    const found = format.check(text);
    expect(found.map((complaint) => complaint.code)).toEqual([code]);
    expect(found[0]?.message.startsWith(`\`${text}\` is not `)).toBe(true);
    expect(found[0]?.readable).toBeUndefined();
  });
});

it("S3.8: host bits are a warning that says what is read", () => {
  expect(cidr.check("10.1.2.3/8")).toEqual([
    expect.objectContaining({
      code: "TW2001",
      message: "`10.1.2.3/8` has host bits set; it is read as `10.0.0.0/8`",
      readable: true,
    }),
  ]);
});

it("a port number in quotes is distinguished from a name", () => {
  expect(portName.check("80")[0]?.message).toMatch(/write port numbers without quotes$/);
  expect(portName.check("Web")[0]?.message).not.toMatch(/without quotes/);
});

describe("an exception outside the block it is taken from", () => {
  /** The numbers of the exceptions that are. */
  const outsideOf = (block: string, except: readonly string[], strict: boolean) => {
    const constraint = exceptInside(strict);
    const found = constraint.kind === "custom" ? constraint.check({ cidr: block, except }) : [];
    return found.map(({ path }) => path[1]);
  };

  it.each([
    ["10.0.0.0/8", ["10.1.0.0/16", "10.255.0.0/16"], []],
    ["10.0.0.0/8", ["11.0.0.0/16", "10.1.0.0/16", "0.0.0.0/0"], [0, 2]],
    ["10.0.0.0/8", ["fd00::/64"], [0]],
    // An invalid CIDR is reported as such.
    ["10.0.0.0/8", ["nonsense"], []],
    ["nonsense", ["10.0.0.0/8"], []],
  ])("%s except %j: items %j", (block, except, outside) =>
    expect(outsideOf(block, except, true)).toEqual(outside),
  );

  it("the whole block is no exception to the strict, and one to the others", () => {
    expect(outsideOf("10.0.0.0/8", ["10.0.0.0/8"], true)).toEqual([0]);
    expect(outsideOf("10.0.0.0/8", ["10.0.0.0/8"], false)).toEqual([]);
  });
});
