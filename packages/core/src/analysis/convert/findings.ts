import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import type { Place } from "../../diagnostics/place.js";
import { formatPolicy, type PolicyRef, type RuleOrigin } from "../../policy/model.js";

interface About {
  readonly object?: string;
  readonly place?: Place | undefined;
}

/** What converting has to say: things worth knowing, and reasons why it cannot be done. */
export class Findings {
  readonly remarks: string[] = [];
  readonly refusals: Diagnostic[] = [];

  /** Once, however often it is found. */
  remark(text: string): void {
    if (!this.remarks.includes(text)) this.remarks.push(text);
  }

  refuseRule(origin: RuleOrigin, message: string, hint?: string): void {
    const about = { object: formatPolicy(origin.policy), place: origin.place() };
    this.refuse(`\`${origin.path}\` ${message}`, hint, about);
  }

  refusePolicy(policy: PolicyRef, message: string, hint?: string): void {
    this.refuse(message, hint, { object: formatPolicy(policy), place: policy.place() });
  }

  /** Of no policy by itself. */
  refuse(message: string, hint?: string, about: About = {}): void {
    const { object, place } = about;
    if (this.refusals.some((known) => known.object === object && known.message === message)) return;
    this.refusals.push(
      diagnostic("TW1601", message, {
        ...(object === undefined ? {} : { object }),
        ...(place === undefined ? {} : { place }),
        ...(hint === undefined ? {} : { hint }),
      }),
    );
  }
}
