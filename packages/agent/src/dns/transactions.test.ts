import { expect, test } from "vitest";
import type { SetChange } from "../ruleset/set-change.js";
import { Transactions } from "./transactions.js";

const change = (key: string): SetChange => ({
  kind: "renew",
  set: "s",
  element: { key, milliseconds: 1000 },
});
const keysOf = (changes: readonly SetChange[]) =>
  changes.map((one) => (one.kind === "renew" ? one.element.key : one.set)).join(" ");

test("requests that arrive while a transaction runs share the next one", async () => {
  const written: string[] = [];
  const transactions = new Transactions(async (changes) => {
    written.push(keysOf(changes));
    await Promise.resolve();
    return undefined;
  });
  await Promise.all(["a", "b", "c"].map(async (key) => transactions.submit([change(key)])));
  await transactions.submit([change("d")]);
  expect(written).toEqual(["a", "b c", "d"]);
});

test("a refused request does not affect others in its transaction", async () => {
  const transactions = new Transactions(async (changes) =>
    Promise.resolve(keysOf(changes).includes("bad") ? "no room" : undefined),
  );
  const problems = ["first", "good", "bad"].map(async (key) => transactions.submit([change(key)]));
  expect(await Promise.all(problems)).toEqual([undefined, undefined, "no room"]);
});

test("a writer that throws is a problem like any other", async () => {
  const transactions = new Transactions(async () => Promise.reject(new Error("no nft")));
  expect(await transactions.submit([change("a")])).toBe("no nft");
  expect(await transactions.submit([change("b")])).toBe("no nft");
});

test("nothing to write is not written", async () => {
  const transactions = new Transactions(async () => Promise.resolve("written"));
  expect(await transactions.submit([])).toBeUndefined();
});
