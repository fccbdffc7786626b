import { type Address, formatAddress } from "@tierwall/core/model";
import { type Message, readAnswerSection, type ResourceRecord } from "./message.js";

/** An address in an answer, and every name that leads to it: the queried name and its aliases. */
export interface Resolution {
  readonly names: readonly string[];
  readonly address: string;
  readonly family: 4 | 6;
  /** In seconds; the smallest along the chain of aliases. */
  readonly ttl: number;
}

/** Longer chains of aliases are not followed; resolvers give up far earlier. */
const longestChain = 32;

/**
 * The addresses of the queried name in an answer. Records of other names are ignored; so is the whole answer if a part of it is
 * invalid.
 */
export function resolutionsIn(bytes: Buffer, message: Message): readonly Resolution[] {
  if (message.rcode !== 0 || message.opcode !== 0) return [];
  const records = readAnswerSection(bytes, message) ?? [];
  const aliases = new Map<string, Extract<ResourceRecord, { kind: "alias" }>>();
  for (const record of records) if (record.kind === "alias") aliases.set(record.name, record);

  const names = [message.question.name];
  let ttl = Number.POSITIVE_INFINITY;
  for (;;) {
    const alias = aliases.get(names.at(-1)!);
    if (alias === undefined) break;
    if (names.length > longestChain || names.includes(alias.target)) return [];
    names.push(alias.target);
    ttl = Math.min(ttl, alias.ttl);
  }
  const last = names.at(-1)!;
  return records.flatMap((record) =>
    record.kind === "address" && record.name === last
      ? [{ names, ...addressOf(record.address), ttl: Math.min(ttl, record.ttl) }]
      : [],
  );
}

function addressOf(bytes: Buffer): { readonly address: string; readonly family: 4 | 6 } {
  const value = BigInt(`0x${bytes.toString("hex")}`);
  const address: Address = { family: bytes.length === 4 ? 4 : 6, value };
  return { address: formatAddress(address), family: address.family };
}
