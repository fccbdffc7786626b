import { expect, test } from "vitest";
import { hrefOf, parseAddressBar } from "./use-address.js";

test.each([
  [
    "explain",
    { from: "shop/cart", to: "203.0.113.7", port: "443/TCP" },
    "#/explain?from=shop/cart&to=203.0.113.7&port=443/TCP",
  ],
  [
    "explain",
    { from: "node:worker-1", to: "2001:db8::1", port: "" },
    "#/explain?from=node:worker-1&to=2001:db8::1",
  ],
  ["policies", { filter: "a b&c=d?" }, "#/policies?filter=a%20b%26c%3Dd%3F"],
  ["map", {}, "#/map"],
])("%s %j is written as a link and read again", (page, query, href) => {
  expect(hrefOf(page, query)).toBe(href);
  const kept = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  expect(parseAddressBar(href)).toEqual({ page, query: kept });
});

test("an empty address is no page", () => expect(parseAddressBar("")).toEqual({ page: "", query: {} }));
