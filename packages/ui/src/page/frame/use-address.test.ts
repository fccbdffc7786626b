import { expect, test, vi } from "vitest";
import { go, hrefOf, parseAddressBar } from "./use-address.js";

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

test.each([
  { bar: "", becomes: "#/explain?from=shop/cart" },
  { bar: "#/explain", becomes: "#/explain?from=shop/cart" },
  { bar: "#/playground", becomes: "#/playground" },
])("an answer of Explain that arrives at $bar leaves $becomes", ({ bar, becomes }) => {
  const location = { hash: bar };
  const replaceState = (_: unknown, __: string, href: string) => (location.hash = href);
  vi.stubGlobal("location", location);
  vi.stubGlobal("history", { replaceState });
  go("explain", { from: "shop/cart" }, "replace");
  expect(location.hash).toBe(becomes);
  vi.unstubAllGlobals();
});
