import packet from "dns-packet";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAnswerSection, readMessage, sameQuestion, serverFailure, withId } from "./message.js";

const question = { type: "A", name: "api.example.com" } as const;

function answer(answers: packet.Answer[], flags = 0): Buffer {
  return packet.encode({ type: "response", id: 7, flags, questions: [question], answers });
}

/** A message with this question section, byte by byte, and nothing behind it. */
function withQuestion(name: readonly number[]): Buffer {
  return Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...name, 0, 1, 0, 1]);
}

const label = (text: string) => [Buffer.byteLength(text), ...Buffer.from(text)];

describe("header and question", () => {
  test("of a query", () => {
    const query = packet.encode({
      type: "query",
      id: 258,
      questions: [{ type: "AAAA", name: "Api.Example.COM" }],
    });
    expect(readMessage(query)).toMatchObject({
      id: 258,
      response: false,
      opcode: 0,
      question: { name: "api.example.com", type: 28, class: 1 },
      questionEnd: query.length,
    });
  });

  test("of an answer", () => {
    const refused = packet.encode({ type: "response", id: 7, flags: 5, questions: [question] });
    expect(readMessage(refused)).toMatchObject({ response: true, rcode: 5, answers: 0 });
  });

  test.each([
    ["is shorter than a header", Buffer.alloc(11)],
    ["has no question", packet.encode({ type: "query", questions: [] })],
    ["has two questions", packet.encode({ type: "query", questions: [question, question] })],
    ["ends within its question", packet.encode({ type: "query", questions: [question] }).subarray(0, 20)],
    ["has a name that points at itself", withQuestion([0xc0, 12])],
    ["has a name that points ahead", withQuestion([0xc0, 14, 0])],
    ["has a name that points into the header", withQuestion([0xc0, 2])],
    ["has a label of a kind that does not exist", withQuestion([0x80, 1, 0])],
    [
      "has a name of more than 255 bytes",
      withQuestion([
        ...label("abc".repeat(20)),
        ...label("abc".repeat(20)),
        ...label("abc".repeat(20)),
        ...label("abc".repeat(20)),
        ...label("abc".repeat(20)),
        0,
      ]),
    ],
  ])("nothing that %s is read", (_, bytes) => expect(readMessage(bytes)).toBeUndefined());

  test.each([
    ["a dot within a label", [...label("api.example"), ...label("com"), 0], "api\\046example.com"],
    [
      "the Kelvin sign, which folds to k",
      [...label("\u212aube"), ...label("io"), 0],
      "\\226\\132\\170ube.io",
    ],
    ["a backslash", [...label("a\\046b"), 0], "a\\092046b"],
  ])("%s does not make another name", (_, name, text) => {
    expect(readMessage(withQuestion(name))?.question.name).toBe(text);
  });
});

describe("the answer section", () => {
  const read = (bytes: Buffer) => readAnswerSection(bytes, readMessage(bytes)!);

  test("has addresses and aliases; other records are passed over", () => {
    const bytes = answer([
      { type: "CNAME", name: "api.example.com", ttl: 60, data: "edge.cdn.net" },
      { type: "TXT", name: "edge.cdn.net", ttl: 5, data: "words" },
      { type: "A", name: "edge.cdn.net", ttl: 30, data: "192.0.2.1" },
      { type: "AAAA", name: "edge.cdn.net", ttl: 31, data: "2001:db8::1" },
    ]);
    expect(read(bytes)).toEqual([
      { kind: "alias", name: "api.example.com", ttl: 60, target: "edge.cdn.net" },
      { kind: "address", name: "edge.cdn.net", ttl: 30, address: Buffer.from([192, 0, 2, 1]) },
      {
        kind: "address",
        name: "edge.cdn.net",
        ttl: 31,
        address: Buffer.from("20010db8000000000000000000000001", "hex"),
      },
    ]);
  });

  test("is as long as the header says, or is not read at all", () => {
    const bytes = answer([{ type: "A", name: "api.example.com", ttl: 30, data: "192.0.2.1" }]);
    bytes.writeUInt16BE(2, 6);
    expect(read(bytes)).toBeUndefined();
  });

  test("has names with as many pointers as labels, or is not read at all", () => {
    const withPointers = (count: number) => {
      // The data of a first record is a chain of pointers, each to the one before it; the name of a second is its end.
      const start = readMessage(answer([]))!.questionEnd + 11;
      const chain = Array.from({ length: count }, (_, i) => 0xc000 | (i === 0 ? 12 : start + 2 * (i - 1)));
      const words = (...values: readonly number[]) => values.flatMap((value) => [value >> 8, value & 0xff]);
      const first = [0, ...words(16, 1, 0, 9, 2 * count, ...chain)];
      const second = [...words(0xc000 | (start + 2 * (count - 1)), 1, 1, 0, 9, 4), 192, 0, 2, 1];
      const bytes = Buffer.concat([answer([]), Buffer.from([...first, ...second])]);
      bytes.writeUInt16BE(2, 6);
      return bytes;
    };
    expect(read(withPointers(126))).toMatchObject([{ name: "api.example.com" }]);
    expect(read(withPointers(127))).toBeUndefined();
  });

  test("RFC 2181: a TTL with the highest bit set is zero", () => {
    const bytes = answer([{ type: "A", name: "api.example.com", ttl: 0x80000000, data: "192.0.2.1" }]);
    expect(read(bytes)).toMatchObject([{ ttl: 0 }]);
  });

  test("has addresses of four or sixteen bytes, or is not read at all", () => {
    const bytes = answer([{ type: "A", name: "api.example.com", ttl: 30, data: "192.0.2.1" }]);
    bytes.writeUInt16BE(3, bytes.length - 6);
    expect(read(bytes)).toBeUndefined();
  });
});

test("an answer under another id is otherwise the same, and the original stays as it was", () => {
  const bytes = answer([]);
  expect(readMessage(withId(bytes, 4711))).toEqual({ ...readMessage(bytes), id: 4711 });
  expect(readMessage(bytes)?.id).toBe(7);
});

test("SERVFAIL has the id and question of the query, and nothing else", () => {
  const query = packet.encode({
    type: "query",
    id: 9,
    flags: packet.RECURSION_DESIRED,
    questions: [question],
    additionals: [
      {
        type: "OPT",
        name: ".",
        udpPayloadSize: 1232,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  });
  const failure = packet.decode(serverFailure(query, readMessage(query)!));
  expect(failure).toMatchObject({
    id: 9,
    type: "response",
    rcode: "SERVFAIL",
    flag_rd: true,
    answers: [],
    additionals: [],
  });
  expect(failure.questions).toMatchObject([question]);
});

test("questions are the same when name, type and class are", () => {
  const one = { name: "a.b", type: 1, class: 1 };
  expect(sameQuestion(one, { ...one })).toBe(true);
  expect(sameQuestion(one, { ...one, name: "b.a" })).toBe(false);
  expect(sameQuestion(one, { ...one, type: 28 })).toBe(false);
  expect(sameQuestion(one, { ...one, class: 3 })).toBe(false);
});

test("no bytes make it throw, and what both read is what dns-packet reads", () => {
  const valid = answer([
    { type: "CNAME", name: "api.example.com", ttl: 60, data: "edge.cdn.net" },
    { type: "A", name: "edge.cdn.net", ttl: 30, data: "192.0.2.1" },
  ]);
  const mutated = fc
    .array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 6 })
    .map((changes) => {
      const bytes = Buffer.from(valid);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    });
  const random = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(mutated, random), (bytes) => {
      const message = readMessage(bytes);
      const records = message && readAnswerSection(bytes, message);
      const other = decoded(bytes);
      if (records === undefined || other === undefined) return;
      const addresses = (other.answers ?? []).filter(({ type }) => type === "A" || type === "AAAA");
      const inInternetClass = addresses.filter((record) => "class" in record && record.class === "IN");
      const flushed = (other.answers ?? []).some((record) => "flush" in record && record.flush === true);
      if (!flushed)
        expect(records.filter(({ kind }) => kind === "address")).toHaveLength(inInternetClass.length);
    }),
    { numRuns: 3000 },
  );
});

function decoded(bytes: Buffer): packet.DecodedPacket | undefined {
  try {
    return packet.decode(bytes);
  } catch {
    return undefined;
  }
}
