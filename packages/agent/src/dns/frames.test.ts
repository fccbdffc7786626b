import fc from "fast-check";
import { expect, test } from "vitest";
import { framed, Frames } from "./tcp-session.js";

test("messages come out whole, however the stream was cut", () => {
  const message = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(
      fc.array(message),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
      (messages, cuts) => {
        const stream = Buffer.concat(messages.map(framed));
        const frames = new Frames();
        const heard: Buffer[] = [];
        for (let at = 0, i = 0; at < stream.length; i++) {
          const end = at + cuts[i % cuts.length]!;
          heard.push(...frames.push(stream.subarray(at, end)));
          at = end;
        }
        expect(heard.map((one) => one.toString("hex"))).toEqual(messages.map((one) => one.toString("hex")));
      },
    ),
  );
});
