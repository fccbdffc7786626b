import { type Address, formatAddress } from "@tierwall/core/model";
import type { OnDnsEvent } from "./event.js";
import type { LearnedNames, Resolution } from "./learned-names.js";
import { type Message, readAnswerSection, type ResourceRecord, serverFailure } from "./message.js";
import type { Answered } from "./outstanding.js";
import type { Reach } from "./reach.js";
import type { Transactions } from "./transactions.js";

/** Writes the addresses in answers to the kernel, before pods get the answers. */
export class Learner {
  constructor(
    private readonly learned: LearnedNames,
    private readonly transactions: Transactions,
    private readonly reach: Pick<Reach, "whyInside">,
    private readonly onEvent: OnDnsEvent,
  ) {}

  /** What is sent to the pod: the answer after its addresses are in the kernel, or SERVFAIL if they cannot be written. */
  async study(addressesOfPod: readonly string[], { bytes, message }: Answered): Promise<Buffer> {
    const outside = resolutionsIn(bytes, message).filter((one) => this.#isOutside(addressesOfPod, one));
    const changes = this.learned.learn(addressesOfPod, outside);
    const problem =
      changes === undefined
        ? "the pod has learned too many addresses"
        : await this.transactions.submit(changes);
    if (changes !== undefined && problem === undefined) {
      this.learned.written(changes);
      if (changes.length > 0) this.onEvent({ kind: "learned", elements: changes.length });
      return bytes;
    }
    this.onEvent({
      kind: "withheld",
      pod: addressesOfPod[0] ?? "",
      name: message.question.name,
      problem: problem ?? "",
    });
    return serverFailure(bytes, message);
  }

  /** S8.4: the pod gets the answer anyway; rules with names do not filter DNS (S8.2). */
  #isOutside(addressesOfPod: readonly string[], { names, address }: Resolution): boolean {
    const name = names.find((one) => this.learned.concerns(addressesOfPod, one));
    if (name === undefined) return true;
    const inside = this.reach.whyInside(address);
    if (inside === undefined) return true;
    this.onEvent({ kind: "inside", pod: addressesOfPod[0] ?? "", name, address, inside });
    return false;
  }
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
