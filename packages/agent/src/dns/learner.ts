import type { OnDnsEvent } from "./event.js";
import type { LearnedNames } from "./learned-names.js";
import { serverFailure } from "./message.js";
import type { Answered } from "./outstanding.js";
import { resolutionsIn } from "./resolution.js";
import type { Transactions } from "./transactions.js";

/** Turns answers into elements, before pods see them. */
export class Learner {
  constructor(
    private readonly learned: LearnedNames,
    private readonly transactions: Transactions,
    private readonly onEvent: OnDnsEvent,
  ) {}

  /** What the pod is to get: the answer, once the kernel knows its addresses; SERVFAIL if it will not. */
  async study(addressesOfPod: readonly string[], { bytes, message }: Answered): Promise<Buffer> {
    const changes = this.learned.learn(addressesOfPod, resolutionsIn(bytes, message));
    const problem =
      changes === undefined ? "the pod knows too many addresses" : await this.transactions.submit(changes);
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
}
