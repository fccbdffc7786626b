import packet from "dns-packet";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { NameSet } from "../ruleset/program.js";
import type { DnsEvent } from "./event.js";
import { InsideAddresses } from "./reach.js";
import { defaultLifetimes, LearnedNames } from "./learned-names.js";
import { Learner } from "./learner.js";
import { readMessage } from "./message.js";
import { changesText, type SetChange } from "../ruleset/set-change.js";
import { Transactions } from "./transactions.js";

/*
 * Answers as a hostile server, or owner of a name, may write them: nothing throws, nothing takes long, and what reaches the kernel is
 * an address outside the cluster for a lifetime within bounds.
 */

vi.setConfig({ testTimeout: 120_000 });

const pods = ["10.0.0.1", "fd00::1"];
const everyName: NameSet = {
  patterns: [{ kind: "pattern", text: "*" }],
  fresh: { 4: "fresh4", 6: "fresh6" },
  kept: { 4: "kept4", 6: "kept6" },
  pods,
};
const inside = new InsideAddresses({ pods: new Map(), nodes: new Map(), services: [] }, [], () => []);

async function study(bytes: Buffer): Promise<readonly SetChange[]> {
  const message = readMessage(bytes);
  if (message === undefined) return [];
  const written: SetChange[] = [];
  const events: DnsEvent[] = [];
  const names = new LearnedNames(() => 0);
  names.use([everyName]);
  const transactions = new Transactions((changes) => {
    written.push(...changes);
    return Promise.resolve(undefined);
  });
  const learner = new Learner(names, transactions, inside, (event) => events.push(event));
  await learner.study(pods, { bytes, message });
  return written;
}

function expectHarmless(changes: readonly SetChange[]): void {
  const longest = (defaultLifetimes.longestSeconds + defaultLifetimes.keptSeconds) * 1000;
  for (const change of changes) {
    if (change.kind !== "renew") throw new Error("an answer takes nothing out of the kernel");
    const [pod, address] = change.element.key.split(" . ");
    expect(pods).toContain(pod);
    expect(inside.whyInside(address!)).toBeUndefined();
    expect(change.element.milliseconds).toBeGreaterThanOrEqual(5000);
    expect(change.element.milliseconds).toBeLessThanOrEqual(longest);
  }
  // Nothing in it can end a line or an element.
  expect(changesText(changes, "tierwall")).toMatch(/^[\w \n{}.,:]*$/);
}

const name = fc.constantFrom("a.test", "b.test", "c.test", `${"x".repeat(63)}.test`);
const octet = fc.integer({ min: 0, max: 255 });
const ttl = fc.constantFrom(0, 1, 5, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1);
const record = fc.oneof(
  fc.record({
    type: fc.constant("A" as const),
    name,
    ttl,
    data: fc.tuple(octet, octet, octet, octet).map((parts) => parts.join(".")),
  }),
  fc.record({
    type: fc.constant("AAAA" as const),
    name,
    ttl,
    data: fc.constantFrom(
      "::",
      "::1",
      "fe80::1",
      "ff02::1",
      "::ffff:1.2.3.4",
      "64:ff9b::7f00:1",
      "2001:db8::1",
    ),
  }),
  fc.record({ type: fc.constant("CNAME" as const), name, ttl, data: name }),
);
const answers = fc
  .array(record, { maxLength: 60 })
  .map((list) =>
    packet.encode({ type: "response", questions: [{ type: "A", name: "a.test" }], answers: list }),
  );

test("S8.4: well-formed answers, with aliases in circles, extreme TTLs and addresses of any kind", async () => {
  let learned = 0;
  await fc.assert(
    fc.asyncProperty(answers, async (bytes) => {
      const changes = await study(bytes);
      learned += changes.length;
      expectHarmless(changes);
    }),
    { numRuns: 2000 },
  );
  expect(learned).toBeGreaterThan(0);
});

test("S8.4: answers with bytes flipped, cut off and counts that lie", async () => {
  const damaged = fc
    .tuple(answers, fc.array(fc.tuple(fc.nat(), octet), { maxLength: 12 }), fc.option(fc.nat()))
    .map(([bytes, flips, cut]) => {
      const copy = Buffer.from(bytes);
      for (const [at, value] of flips) copy[at % copy.length] = value;
      return cut === null ? copy : copy.subarray(0, cut % (copy.length + 1));
    });
  await fc.assert(
    fc.asyncProperty(damaged, async (bytes) => expectHarmless(await study(bytes))),
    { numRuns: 5000 },
  );
});

test("S8.4: random bytes behind a question", async () => {
  const question = packet.encode({ type: "response", questions: [{ type: "A", name: "a.test" }] });
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 512 }),
      fc.integer({ min: 0, max: 65_535 }),
      async (rest, count) => {
        const bytes = Buffer.concat([question, rest]);
        bytes.writeUInt16BE(count, 6);
        expectHarmless(await study(bytes));
      },
    ),
    { numRuns: 5000 },
  );
});

test("S8.4: the largest answer, of nothing but pointers to pointers, is read a bounded number of times", async () => {
  const question = packet.encode({ type: "response", questions: [{ type: "A", name: "a.test" }] });
  const bytes = Buffer.alloc(65_535);
  question.copy(bytes);
  bytes.writeUInt16BE(65_535, 6);
  for (let at = question.length; at + 2 <= bytes.length; at += 2) {
    const back = Math.max(12, at - 2);
    bytes.writeUInt16BE(0xc000 | (back > 0x3fff ? 0x3ffe : back), at);
  }
  expect(await study(bytes)).toEqual([]);
});
