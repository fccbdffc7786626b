import { getOrInsert } from "../../collections/maps.js";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { firstOf } from "../../diagnostics/summary.js";
import { formatPolicy, type PolicyRef, type RuleOrigin } from "../../policy/model.js";

/** What converting has to say: things worth knowing, and reasons why it cannot be done. */
export class Findings {
  readonly refusals: Diagnostic[] = [];
  private readonly found = new Map<string, Set<string>>();

  /** Once, however often it is found, with all that it is about. */
  remark(text: string, about?: string): void {
    const known = getOrInsert(this.found, text, () => new Set());
    if (about !== undefined) known.add(about);
  }

  /** `AdminNetworkPolicy a, AdminNetworkPolicy b and 3 more: …` */
  get remarks(): readonly string[] {
    return Array.from(this.found, ([text, about]) =>
      about.size === 0 ? text : `${firstOf([...about], 5)}: ${text}`,
    );
  }

  refuseRule(origin: RuleOrigin, message: string, hint?: string): void {
    this.refuse(`\`${origin.path}\` ${message}`, hint, origin.policy, origin.place);
  }

  refusePolicy(policy: PolicyRef, message: string, hint?: string): void {
    this.refuse(message, hint, policy);
  }

  /** Of no policy by itself. */
  refuse(message: string, hint?: string, policy?: PolicyRef, place = policy?.place): void {
    const object = policy && formatPolicy(policy);
    if (this.refusals.some((known) => known.object === object && known.message === message)) return;
    this.refusals.push(diagnostic("TW1601", message, { object, place: place?.(), hint }));
  }
}
