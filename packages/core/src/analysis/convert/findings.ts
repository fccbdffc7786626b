import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import type { Place } from "../../diagnostics/place.js";
import { formatPolicy, type PolicyRef, type RuleOrigin } from "../../policy/model.js";

const mostNamed = 5;

interface About {
  readonly object?: string;
  readonly place?: Place | undefined;
}

/** What converting has to say: things worth knowing, and reasons why it cannot be done. */
export class Findings {
  readonly refusals: Diagnostic[] = [];
  private readonly found = new Map<string, Set<string>>();

  /** Once, however often it is found, with all that it is about. */
  remark(text: string, about?: string): void {
    const known = this.found.get(text) ?? new Set();
    if (about !== undefined) known.add(about);
    this.found.set(text, known);
  }

  /** `AdminNetworkPolicy a, AdminNetworkPolicy b and 3 more: …` */
  get remarks(): readonly string[] {
    return [...this.found].map(([text, about]) => {
      if (about.size === 0) return text;
      const names = [...about].slice(0, mostNamed).join(", ");
      const rest = about.size - mostNamed;
      return `${names}${rest > 0 ? ` and ${rest} more` : ""}: ${text}`;
    });
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
