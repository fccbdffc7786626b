import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { formatPolicy, type PolicyRef, type RuleOrigin } from "../../policy/model.js";

/** What converting has to say: things worth knowing, and reasons why it cannot be done. */
export class Findings {
  readonly remarks: string[] = [];
  readonly refusals: Diagnostic[] = [];

  /** Once, however often it is found. */
  remark(text: string): void {
    if (!this.remarks.includes(text)) this.remarks.push(text);
  }

  refuseRule(origin: RuleOrigin, message: string, hint?: string): void {
    this.refuse(origin.policy, origin.place(), `\`${origin.path}\` ${message}`, hint);
  }

  refusePolicy(policy: PolicyRef, message: string, hint?: string): void {
    this.refuse(policy, policy.place(), message, hint);
  }

  private refuse(
    policy: PolicyRef,
    place: ReturnType<PolicyRef["place"]>,
    message: string,
    hint: string | undefined,
  ): void {
    const object = formatPolicy(policy);
    if (this.refusals.some((known) => known.object === object && known.message === message)) return;
    this.refusals.push(
      diagnostic("TW1601", message, {
        object,
        ...(place === undefined ? {} : { place }),
        ...(hint === undefined ? {} : { hint }),
      }),
    );
  }
}
