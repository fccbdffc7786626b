import { counterOf, newCounterOf } from "../ruleset/vocabulary.js";
import { type AuditDecider, type AuditLine, auditDecider, auditLine } from "./audit-line.js";
import type { Growth } from "./counts.js";
import { verdictText } from "./decider.js";
import type { AddressOwners } from "./address-owners.js";
import type { LoggedPacket } from "./logged-packet.js";
import { isLogged } from "./modes.js";
import type { RuleVersions } from "./rule-versions.js";
import { Suppressed } from "./suppressed.js";

/** How many decisions of a rule were not logged since the last such line. */
export interface SuppressedLine {
  readonly time: string;
  readonly node: string;
  readonly suppressed: number;
  readonly by: AuditDecider;
}

interface AuditOptions {
  readonly node: string;
  /** The whole node is in shadow mode. */
  readonly shadow: boolean;
  readonly rules: Pick<RuleVersions, "get">;
  readonly ends: AddressOwners;
  readonly write: (line: AuditLine | SuppressedLine) => void;
}

/** Turns the kernel's logs and counters into lines that name pods and rules. */
export class Audit {
  readonly #suppressed = new Suppressed();

  constructor(private readonly options: AuditOptions) {}

  logged(packet: LoggedPacket): void {
    const { id, cut } = packet;
    this.#suppressed.logged(id);
    const decided = { ...this.#decided(id), ...(cut ? { cut } : {}) };
    this.options.write(auditLine(packet, decided, this.options));
  }

  /**
   * Takes what was counted since the previous reading. Logs how much of it was not logged, and returns the sum. For allowed
   * connections only new ones count: others are judged again with each change of the rules, and not logged.
   */
  counted(grown: readonly Growth[]): number {
    this.#suppressed.read(
      new Map(
        grown.flatMap((growth) => {
          const id = loggedId(growth);
          return id === undefined ? [] : [[id, growth.packets]];
        }),
      ),
    );
    let all = 0;
    for (const [id, suppressed] of this.#suppressed.take()) {
      const { by } = this.#decided(id);
      this.options.write({ time: new Date().toISOString(), node: this.options.node, suppressed, by });
      all += suppressed;
    }
    this.#suppressed.keep((id) => this.options.rules.get(id) !== undefined || unknownPods.test(id));
    return all;
  }

  #decided(id: string): Decided {
    const entry = this.options.rules.get(id);
    if (entry !== undefined) {
      const { verdict, direction, shadow } = entry;
      return { verdict, direction, ...(shadow ? { shadow } : {}), by: auditDecider(entry) };
    }
    const [, direction] = unknownPods.exec(id) ?? [];
    if (direction === undefined) return { verdict: "Deny", by: { kind: "not-known", id } };
    return {
      verdict: "Deny",
      direction: direction as "ingress" | "egress",
      ...(this.options.shadow ? { shadow: true } : {}),
      by: { kind: "unknown-pod" },
    };
  }
}

type Decided = Parameters<typeof auditLine>[1];

const unknownPods = /^unknown_(ingress|egress)$/;

/** The id in its log lines; undefined if not everything that is counted is logged. */
function loggedId({ name, entry }: Growth): string | undefined {
  if (entry === undefined) return unknownPods.test(name) ? name : undefined;
  const counts = entry.verdict === "Deny" ? counterOf(entry.id) : newCounterOf(entry.id);
  return name === counts && isLogged(entry) ? entry.id : undefined;
}

/** For metrics: `Deny`, `ShadowDeny`, … */
export const lineVerdict = ({ verdict, shadow }: AuditLine): string =>
  verdictText({ verdict, shadow: shadow === true });
