import { expect, it } from "vitest";
import { timeoutIn } from "./webhook-server.js";

it.each([
  ["", 10_000],
  ["timeout=5s", 5000],
  ["timeout=1.5s", 1500],
  ["timeout=250ms", 250],
  ["timeout=0s", 0],
  ["timeout=30s", 30_000],
  ["timeout=31s", 30_000],
  ["timeout=10m", 30_000],
  ["timeout=999999999m", 30_000],
  ["timeout=99999999999999999999s", 10_000],
  ["timeout=-5s", 10_000],
  ["timeout=1h", 10_000],
  ["timeout=NaNs", 10_000],
  ["timeout=%00", 10_000],
])("a request with `%s` is answered within %d ms", (query, milliseconds) => {
  expect(timeoutIn(new URLSearchParams(query))).toBe(milliseconds);
});
