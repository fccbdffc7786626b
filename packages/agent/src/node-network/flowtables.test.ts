import { expect, it } from "vitest";
import { flowtablesInUse } from "./other-programs.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";

const metainfo = { metainfo: { version: "1.0.6", release_name: "Lester Gooch #5", json_schema_version: 1 } };
const flowtable = (table: string, name: string) => ({
  flowtable: { family: "inet", name, table, handle: 2, hook: "ingress", prio: 0, dev: ["eth0", "eth1"] },
});

const said = (answer: Outcome<readonly object[]> | undefined) =>
  flowtablesInUse({
    objects: () =>
      answer === undefined ? Promise.reject(new SyntaxError("no JSON")) : Promise.resolve(answer),
  });

it.each([
  ["none", done([metainfo]), undefined],
  ["one", done([metainfo, flowtable("filter", "fast")]), /\(fast of the table inet filter\)/],
  [
    "several",
    done([metainfo, flowtable("a", "x"), flowtable("b", "y")]),
    /x of the table inet a, y of the table inet b/,
  ],
  ["one in a form that is not known", done([{ flowtable: { name: 7 } }]), /\? of the table \? \?/],
] as const)("flowtables of others: %s", async (_, answer, expected) => {
  const found = await said(answer);
  if (expected === undefined) expect(found).toEqual(done(undefined));
  else expect(found.ok ? found.value : "").toMatch(expected);
});

it.each([
  ["a kernel without flowtables", failed("Operation not supported")],
  ["an answer that cannot be read", undefined],
] as const)("nothing is known of flowtables: %s", async (_, answer) => {
  expect(await said(answer)).toMatchObject({ ok: false });
});
