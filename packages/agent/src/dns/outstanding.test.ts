import packet from "dns-packet";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readMessage } from "./message.js";
import { type Answered, Outstanding } from "./outstanding.js";

const question = { type: "A" as const, name: "api.example.com" };
const query = packet.encode({ type: "query", id: 4711, questions: [question] });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function asked(type: "A" | "AXFR" = "A") {
  const outstanding = new Outstanding();
  const heard: (Answered | undefined)[] = [];
  const own = packet.encode({ type: "query", id: 4711, questions: [{ ...question, type }] });
  const sent = outstanding.add(own, readMessage(own)!, 1000, (answer) => heard.push(answer))!;
  const { id, questions } = packet.decode(sent);
  const answer = (change: packet.Packet = {}) =>
    packet.encode({ type: "response", id: id!, questions: questions!, ...change });
  return { outstanding, heard, answer, id: id! };
}

test("the answer to a question is heard once, under the id of the query", () => {
  const { outstanding, heard, answer } = asked();
  expect(outstanding.settle(answer())).toBeUndefined();
  expect(outstanding.settle(answer())).toBe("not asked");
  expect(heard.map((one) => one?.bytes.readUInt16BE(0))).toEqual([4711]);
});

test("another id, another question, another kind of message are no answer, and the real one is still heard", () => {
  const { outstanding, heard, answer, id } = asked();
  expect(outstanding.settle(answer({ id: id ^ 1 }))).toBe("not asked");
  expect(outstanding.settle(answer({ questions: [{ ...question, name: "x.example.com" }] }))).toBe(
    "another question",
  );
  expect(outstanding.settle(answer({ questions: [{ ...question, type: "AAAA" }] }))).toBe("another question");
  expect(outstanding.settle(answer({ flags: 5 << 11 }))).toBe("another question");
  expect(outstanding.settle(answer({ type: "query" }))).toBe("malformed");
  expect(heard).toEqual([]);
  expect(
    outstanding.settle(answer({ questions: [{ ...question, name: "API.example.COM" }] })),
  ).toBeUndefined();
  expect(heard).toHaveLength(1);
});

test("a missing answer is reported after the timeout", () => {
  const { outstanding, heard, answer } = asked();
  vi.advanceTimersByTime(1000);
  expect(heard).toEqual([undefined]);
  expect(outstanding.settle(answer())).toBe("not asked");
});

test("a zone transfer has many answers", () => {
  const { outstanding, heard, answer } = asked("AXFR");
  for (let i = 0; i < 3; i++) expect(outstanding.settle(answer())).toBeUndefined();
  expect(heard).toHaveLength(3);
});

test("only so many questions are open at a time", () => {
  const outstanding = new Outstanding();
  const add = () => outstanding.add(query, readMessage(query)!, 1000, () => undefined);
  for (let i = 0; i < 1024; i++) add();
  expect(outstanding.size).toBe(1024);
  expect(add()).toBeUndefined();
  outstanding.giveUp();
  expect(outstanding.size).toBe(0);
});

test("random bytes are never an answer, and never make it throw", () => {
  const { outstanding, heard } = asked();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(outstanding.settle(Buffer.from(bytes))).toBeDefined();
    }),
  );
  expect(heard).toEqual([]);
});

test("an answer with any byte of its id or question changed is not accepted", () => {
  const { outstanding, heard, answer } = asked();
  const questionEnd = readMessage(answer())!.questionEnd;
  const at = fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 12, max: questionEnd - 1 }));
  fc.assert(
    fc.property(at, fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bytes = answer();
      bytes[at]! ^= flip;
      // Case is not a change.
      const same = flip === 0x20 && at >= 12 && /[a-z]/i.test(String.fromCharCode(bytes[at]!));
      if (!same) expect(outstanding.settle(bytes)).toBeDefined();
    }),
  );
  expect(heard).toEqual([]);
});
