import { type Address, formatAddress } from "@tierwall/core/model";
import { type Message, readAnswerSection, type ResourceRecord } from "./message.js";

/** An address that an answer gives out, and every name that leads to it: the one asked for, and aliases on the way. */
export interface Resolution {
  readonly names: readonly string[];
  readonly address: string;
  readonly family: 4 | 6;
  /** Seconds; the smallest on the way. */
  readonly ttl: number;
}

/** Longer chains of aliases are not followed; resolvers give up far earlier. */
const longestChain = 32;

/**
 * What an answer says of the name that was asked for. Records about other names are nobody's question and are left out;
 * so is everything when a part of the answer cannot be read.
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
