import type { OnDnsEvent } from "./event.js";
import type { Reach } from "./reach.js";
import type { LearnedNames } from "./learned-names.js";
import { serverFailure } from "./message.js";
import type { Answered } from "./outstanding.js";
import { type Resolution, resolutionsIn } from "./resolution.js";
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
