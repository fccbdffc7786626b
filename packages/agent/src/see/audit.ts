import type { Cluster } from "@tierwall/core";
import type { BookEntry } from "../ruleset/program.js";
import { type AuditDecider, type AuditLine, auditDecider, auditLine } from "./audit-line.js";
import type { Growth } from "./counts.js";
import { verdictText } from "./decider.js";
import { EndNames } from "./end-names.js";
import type { LoggedPacket } from "./logged-packet.js";
import { isLogged } from "./modes.js";
import { Suppressed } from "./suppressed.js";

/** So many decisions of a rule were not logged, since the last such line of it. */
export interface SuppressedLine {
  readonly time: string;
  readonly node: string;
  readonly suppressed: number;
  readonly by: AuditDecider;
}

export interface AuditOptions {
  readonly node: string;
  readonly write: (line: AuditLine | SuppressedLine) => void;
}

/** A packet that cuts a connection is logged twice: by the rule that denies it, and as cut. They come close together. */
const patience = 200;

/** Turns what the kernel logs and counts into lines that name pods and rules. */
export class Audit {
  readonly #options: AuditOptions;
  readonly #suppressed = new Suppressed();
  readonly #held = new Map<string, LoggedPacket>();
  #timer: NodeJS.Timeout | undefined;
  #ends = new EndNames({ pods: new Map(), nodes: new Map() });
  #book: ReadonlyMap<string, BookEntry> = new Map();
  /** Lines may still come of rules that were just replaced. */
  #bookBefore: ReadonlyMap<string, BookEntry> = new Map();

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** From here on these are the rules in the kernel, and these the names of pods. */
  programmed(book: ReadonlyMap<string, BookEntry>, cluster: Pick<Cluster, "pods" | "nodes">): void {
    this.#ends = new EndNames(cluster);
    if (book === this.#book) return;
    this.#bookBefore = this.#book;
    this.#book = book;
  }

  logged(packet: LoggedPacket): void {
    const unknown = /^unknown(?:[_-](ingress|egress))?$/.exec(packet.label);
    if (unknown !== null) {
      const direction = unknown[1] as "ingress" | "egress" | undefined;
      const by = { kind: "unknown-pod" } as const;
      this.#write(packet, { verdict: "Deny", ...(direction === undefined ? {} : { direction }), by });
    } else if (packet.label === "cut") this.#cut(packet);
    else {
      this.#suppressed.logged(packet.label);
      const entry = this.#entry(packet.label);
      if (entry === undefined || entry.verdict !== "Deny" || entry.shadow) this.#decided(packet);
      else this.#hold(packet);
    }
  }

  /** What was counted since the reading before; says what was counted and not logged. Returns how much. */
  counted(grown: readonly Growth[]): number {
    const logged = grown.filter(({ entry }) => entry !== undefined && isLogged(entry));
    this.#suppressed.read(new Map(logged.map(({ entry, packets }) => [entry!.id, packets])));
    let all = 0;
    for (const [id, suppressed] of this.#suppressed.take()) {
      const time = new Date().toISOString();
      this.#options.write({ time, node: this.#options.node, suppressed, by: this.#by(id) });
      all += suppressed;
    }
    this.#suppressed.keep({ has: (id) => this.#book.has(id) || this.#bookBefore.has(id) });
    return all;
  }

  /** Writes what is held back. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const packet of held) this.#decided(packet);
  }

  #hold(packet: LoggedPacket): void {
    const same = this.#held.get(packet.trace);
    if (same !== undefined) this.#decided(same);
    this.#held.set(packet.trace, packet);
    this.#timer ??= setTimeout(() => this.flush(), patience).unref();
  }

  #cut(packet: LoggedPacket): void {
    const decided = this.#held.get(packet.trace);
    this.#held.delete(packet.trace);
    if (decided !== undefined) this.#decided(decided, { cut: true });
    else this.#write(packet, { verdict: "Deny", cut: true, by: { kind: "not-known" } });
  }

  #decided(packet: LoggedPacket, more: { readonly cut?: true } = {}): void {
    const entry = this.#entry(packet.label);
    const by = this.#by(packet.label);
    if (entry === undefined) return this.#write(packet, { verdict: "Deny", by, ...more });
    const { verdict, direction, shadow } = entry;
    this.#write(packet, { verdict, direction, by, ...(shadow ? { shadow } : {}), ...more });
  }

  #write(packet: LoggedPacket, decided: Parameters<typeof auditLine>[1]): void {
    this.#options.write(auditLine(packet, decided, { node: this.#options.node, ends: this.#ends }));
  }

  #by(id: string): AuditDecider {
    const entry = this.#entry(id);
    return entry === undefined ? { kind: "not-known", id } : auditDecider(entry);
  }

  #entry(id: string): BookEntry | undefined {
    return this.#book.get(id) ?? this.#bookBefore.get(id);
  }
}

/** For metrics: `Deny`, `ShadowDeny`, … */
export const lineVerdict = ({ verdict, shadow }: AuditLine): string =>
  verdictText({ verdict, shadow: shadow === true });
