import packet from "dns-packet";
import { expect, test } from "vitest";
import { readMessage } from "./message.js";
import { resolutionsIn } from "./learner.js";

function resolutions(answers: packet.Answer[], flags = 0) {
  const questions = [{ type: "A" as const, name: "API.example.com" }];
  const bytes = packet.encode({ type: "response", id: 1, flags, questions, answers });
  return resolutionsIn(bytes, readMessage(bytes)!);
}

const address = (name: string, ttl: number, data: string): packet.Answer => ({ type: "A", name, ttl, data });
const alias = (name: string, ttl: number, data: string): packet.Answer => ({
  type: "CNAME",
  name,
  ttl,
  data,
});

test("an address has the name that was asked for", () => {
  expect(resolutions([address("api.example.com", 30, "192.0.2.1")])).toEqual([
    { names: ["api.example.com"], address: "192.0.2.1", family: 4, ttl: 30 },
  ]);
});

test("aliases on the way are its names too, and the smallest TTL counts, in whatever order records come", () => {
  const answers = [
    address("edge.cdn.net", 40, "192.0.2.1"),
    alias("api.example.com", 60, "x.cdn.net"),
    alias("x.cdn.net", 20, "edge.cdn.net"),
  ];
  const names = ["api.example.com", "x.cdn.net", "edge.cdn.net"];
  const expected = [{ names, address: "192.0.2.1", family: 4, ttl: 20 }];
  expect(resolutions(answers)).toEqual(expected);
  expect(resolutions(answers.toReversed())).toEqual(expected);
});

test.each([
  ["records of names that were not queried", [address("bank.example", 30, "192.0.2.66")]],
  [
    "an address of the name before its alias",
    [alias("api.example.com", 9, "x.net"), address("api.example.com", 9, "192.0.2.66")],
  ],
  [
    "aliases in a circle",
    [
      alias("api.example.com", 9, "x.net"),
      alias("x.net", 9, "api.example.com"),
      address("x.net", 9, "192.0.2.1"),
    ],
  ],
  ["an alias that leads nowhere", [alias("api.example.com", 9, "x.net")]],
])("nothing comes of %s", (_, answers) => expect(resolutions(answers)).toEqual([]));

test("nothing comes of an answer that says something went wrong", () => {
  expect(resolutions([address("api.example.com", 30, "192.0.2.1")], 3)).toEqual([]);
});

test("IPv6 addresses are written as everywhere else", () => {
  const answer: packet.Answer = { type: "AAAA", name: "api.example.com", ttl: 30, data: "2001:DB8:0:0::1" };
  expect(resolutions([answer])).toMatchObject([{ address: "2001:db8::1", family: 6 }]);
});
