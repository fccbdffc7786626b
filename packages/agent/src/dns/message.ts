/*
 * DNS messages in wire format (RFC 1035), as far as the proxy needs them: the header, the one question, and addresses and aliases
 * of the answer section. The parser is strict, since an attacker can write answers: a label that contains a dot, or bytes that
 * become letters by case folding, must not look like another name.
 */

export const recordTypes = { A: 1, CNAME: 5, AAAA: 28, IXFR: 251, AXFR: 252 } as const;

export interface Question {
  /** Lower case, without the final dot; bytes other than letters, digits, `-` and `_` as `\ddd`. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
}

export interface Message {
  readonly id: number;
  readonly response: boolean;
  readonly opcode: number;
  readonly rcode: number;
  readonly question: Question;
  /** Where the question section ends. */
  readonly questionEnd: number;
  readonly answers: number;
}

export type ResourceRecord =
  | { readonly kind: "address"; readonly name: string; readonly ttl: number; readonly address: Buffer }
  | { readonly kind: "alias"; readonly name: string; readonly ttl: number; readonly target: string };

const headerSize = 12;
const internetClass = 1;

/** Header and question; undefined unless it is a message with exactly one question. */
export function readMessage(bytes: Buffer): Message | undefined {
  if (bytes.length < headerSize || bytes.readUInt16BE(4) !== 1) return undefined;
  const name = readName(bytes, headerSize);
  if (name === undefined || name.end + 4 > bytes.length) return undefined;
  const flags = bytes.readUInt16BE(2);
  return {
    id: bytes.readUInt16BE(0),
    response: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 0xf,
    rcode: flags & 0xf,
    question: {
      name: name.text,
      type: bytes.readUInt16BE(name.end),
      class: bytes.readUInt16BE(name.end + 2),
    },
    questionEnd: name.end + 4,
    answers: bytes.readUInt16BE(6),
  };
}

/** The addresses and aliases of the answer section; undefined if any part of the section is invalid. */
export function readAnswerSection(bytes: Buffer, message: Message): readonly ResourceRecord[] | undefined {
  const records: ResourceRecord[] = [];
  let at = message.questionEnd;
  for (let i = 0; i < message.answers; i++) {
    const name = readName(bytes, at);
    if (name === undefined || name.end + 10 > bytes.length) return undefined;
    const type = bytes.readUInt16BE(name.end);
    const ttl = readTtl(bytes, name.end + 4);
    const length = bytes.readUInt16BE(name.end + 8);
    const start = name.end + 10;
    at = start + length;
    if (at > bytes.length) return undefined;
    if (bytes.readUInt16BE(name.end + 2) !== internetClass) continue;
    if (type === recordTypes.A || type === recordTypes.AAAA) {
      if (length !== (type === recordTypes.A ? 4 : 16)) return undefined;
      records.push({ kind: "address", name: name.text, ttl, address: bytes.subarray(start, at) });
    } else if (type === recordTypes.CNAME) {
      const target = readName(bytes, start);
      if (target === undefined || target.end !== at) return undefined;
      records.push({ kind: "alias", name: name.text, ttl, target: target.text });
    }
  }
  return records;
}

export function sameQuestion(a: Question, b: Question): boolean {
  return a.name === b.name && a.type === b.type && a.class === b.class;
}

/** The same message with another id. */
export function withId(bytes: Buffer, id: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt16BE(id, 0);
  return copy;
}

/** The answer SERVFAIL to a query, with its header and question. */
export function serverFailure(query: Buffer, { questionEnd }: Message): Buffer {
  const answer = Buffer.from(query.subarray(0, questionEnd));
  const keptFlags = 0x7900; // opcode and "recursion desired"
  answer.writeUInt16BE((answer.readUInt16BE(2) & keptFlags) | 0x8002, 2);
  answer.fill(0, 6, headerSize);
  return answer;
}

/** RFC 2181: a TTL with the highest bit set counts as zero. */
function readTtl(bytes: Buffer, at: number): number {
  const ttl = bytes.readUInt32BE(at);
  return ttl > 0x7fffffff ? 0 : ttl;
}

const longestName = 255;
/** A name cannot have more labels than this, and needs no more pointers. */
const mostPointers = 127;

/** Follows pointers. They must point backwards, so that there are no loops, and their number is limited. */
function readName(bytes: Buffer, start: number): { readonly text: string; readonly end: number } | undefined {
  const labels: string[] = [];
  let at = start;
  let earliest = start;
  let end: number | undefined;
  let length = 1;
  let pointers = 0;
  for (;;) {
    const size = bytes[at];
    if (size === undefined) return undefined;
    if (size === 0) return { text: labels.join("."), end: end ?? at + 1 };
    if (size < 0x40) {
      length += size + 1;
      if (length > longestName || at + 1 + size > bytes.length) return undefined;
      labels.push(labelText(bytes.subarray(at + 1, at + 1 + size)));
      at += 1 + size;
    } else if (size >= 0xc0) {
      if (at + 2 > bytes.length) return undefined;
      const target = bytes.readUInt16BE(at) & 0x3fff;
      if (target >= earliest || target < headerSize || ++pointers > mostPointers) return undefined;
      end ??= at + 2;
      at = earliest = target;
    } else return undefined;
  }
}

function labelText(label: Buffer): string {
  const plain = label.toString("latin1");
  return (/^[\w-]*$/.test(plain) ? plain : plain.replace(/[^\w-]/g, escaped)).toLowerCase();
}

function escaped(character: string): string {
  return `\\${String(character.charCodeAt(0)).padStart(3, "0")}`;
}
