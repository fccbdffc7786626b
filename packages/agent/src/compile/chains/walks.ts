import type { Direction } from "@tierwall/core/model";
import type { BookEntry } from "../../ruleset/program.js";
import type { End } from "../endpoints/end-store.js";
import type { Ends } from "../endpoints/ends.js";
import { type NameSets, nameSetsOf } from "../rules/name-sets.js";
import type { PeerReaches } from "../rules/peer-reach.js";
import type { RuleBook } from "../rules/rule-book.js";
import { RuleReaches } from "../rules/rule-reach.js";
import type { Row, Rows, Subject } from "../rules/subjects.js";
import type { PortChains } from "./port-chains.js";
import type { Ending, Terminals } from "./terminals.js";
import { type Tier, type TierChain, TierChains } from "./tier-chains.js";

/** The walks of all pods of this node. */
export interface Walks {
  readonly chains: ReadonlyMap<Subject, Readonly<Record<Direction, readonly TierChain[]>>>;
  /** S1.17: ingress of pods that share an address with others, in a walk that is not the last one. */
  readonly shared: ReadonlyMap<Subject, readonly TierChain[]>;
  /** By the names of their maps. */
  readonly tiers: ReadonlyMap<string, TierChain>;
  /** The ends that some tier distinguishes. */
  readonly ends: ReadonlySet<End>;
  /** Domain names in Allow rules. */
  readonly names: ReadonlyMap<Subject, readonly NameSets[]>;
  readonly book: ReadonlyMap<string, BookEntry>;
  readonly counters: ReadonlySet<string>;
}

interface Walked {
  readonly tier: Tier;
  readonly entries: readonly BookEntry[];
  readonly counters: readonly string[];
}

/** The parts of walks that depend only on rules, not on ends. */
type OfRules = Pick<Walks, "names" | "book" | "counters">;

export class WalkMaker {
  private readonly reaches: RuleReaches;
  private readonly tierChains: TierChains;
  private walked: ReadonlyMap<Row, Walked> = new Map();
  private walkedFirst: ReadonlyMap<Row, Walked> = new Map();
  private made: { readonly rows: ReadonlyMap<Subject, Rows>; readonly ofRules: OfRules } | undefined;
  private readonly endUse = new EndUse();

  constructor(
    private readonly book: RuleBook,
    peers: PeerReaches,
    ends: Ends,
    ports: PortChains,
    private readonly terminals: Terminals,
  ) {
    this.reaches = new RuleReaches(peers, ends);
    this.tierChains = new TierChains(ports);
  }

  /** To be called when ends were added or removed: updates the known rows. */
  grow(): void {
    this.reaches.grow();
    const walked = [...this.walked.values(), ...this.walkedFirst.values()];
    this.tierChains.grow(new Set(walked.map(({ tier }) => tier)));
  }

  make(rows: ReadonlyMap<Subject, Rows>, sharing: ReadonlySet<Subject>): Walks {
    const walked = new Map<Row, Walked>();
    const walkedFirst = new Map<Row, Walked>();
    const tiers = new Map<string, TierChain>();
    const walker =
      (before: ReadonlyMap<Row, Walked>, now: Map<Row, Walked>, ending?: Ending) =>
      (row: Row, subject: Subject): TierChain => {
        const known = before.get(row) ?? now.get(row) ?? this.walk(row, subject, ending);
        now.set(row, known);
        const { chain } = known.tier;
        tiers.set(chain.map, chain);
        return chain;
      };
    const walk = walker(this.walked, walked);
    const walkFirst = walker(this.walkedFirst, walkedFirst, "leave");
    const chains = new Map<Subject, Record<Direction, readonly TierChain[]>>();
    for (const [subject, { egress, ingress }] of rows)
      chains.set(subject, {
        egress: egress.map((row) => walk(row, subject)),
        ingress: ingress.map((row) => walk(row, subject)),
      });
    const shared = new Map<Subject, readonly TierChain[]>();
    for (const subject of sharing)
      shared.set(
        subject,
        rows.get(subject)!.ingress.map((row) => walkFirst(row, subject)),
      );
    this.walked = walked;
    this.walkedFirst = walkedFirst;
    const ofRules = this.made?.rows === rows ? this.made.ofRules : this.ofRules(rows);
    this.made = { rows, ofRules };
    return { chains, shared, tiers, ends: this.endUse.update(new Set(tiers.values())), ...ofRules };
  }

  private walk(row: Row, subject: Subject, ending?: Ending): Walked {
    const isolation = this.book.isolationEntries(row.direction, row.tier, row.isolation);
    const records = row.rules.map((rule) => this.book.of(rule));
    const reaches = records.map((record) => this.reaches.of(record, subject));
    const tier = this.tierChains.of(reaches, isolation, ending);
    const counters = [
      ...records.flatMap(({ entry, modes }) => this.terminals.countersOf(entry, modes.audit)),
      // Isolation always denies.
      ...isolation.flatMap((entry) => this.terminals.countersOf(entry, "denied")),
    ];
    return { tier, entries: [...records.map(({ entry }) => entry), ...isolation], counters };
  }

  private ofRules(rows: ReadonlyMap<Subject, Rows>): OfRules {
    const book = new Map<string, BookEntry>();
    const counters = new Set<string>();
    for (const walked of this.walked.values()) {
      for (const entry of walked.entries) book.set(entry.id, entry);
      for (const counter of walked.counters) counters.add(counter);
    }
    const names = new Map<Subject, readonly NameSets[]>();
    for (const [subject, { egress }] of rows) {
      const named = this.namesIn(egress);
      if (named.length > 0) names.set(subject, named);
    }
    return { names, book, counters };
  }

  private namesIn(rows: readonly Row[]): readonly NameSets[] {
    return rows.flatMap(({ rules }) =>
      rules.flatMap((rule) => {
        const domains = rule.peers.filter((peer) => peer.kind === "domains");
        if (domains.length === 0 || this.book.of(rule).entry.verdict !== "Allow") return [];
        return domains.map(nameSetsOf);
      }),
    );
  }
}

/** Counts the ends that some tier distinguishes. */
class EndUse {
  private tiers: ReadonlySet<TierChain> = new Set();
  private readonly uses = new Map<End, number>();
  private ends: ReadonlySet<End> = new Set();

  /** Returns the same object while its contents stay the same. */
  update(tiers: ReadonlySet<TierChain>): ReadonlySet<End> {
    let isSame = true;
    const count = (end: End, by: 1 | -1) => {
      const before = this.uses.get(end) ?? 0;
      if (before + by === 0) this.uses.delete(end);
      else this.uses.set(end, before + by);
      if (before === 0 || before + by === 0) isSame = false;
    };
    const grown = new Set<TierChain>();
    for (const tier of tiers) {
      if (this.tiers.has(tier)) continue;
      const from = tier.grown?.from.deref();
      if (from === undefined || tiers.has(from) || !this.tiers.has(from))
        for (const end of tier.verdicts.keys()) count(end, 1);
      else {
        grown.add(from);
        for (const end of tier.grown!.changed) {
          const [was, is] = [from.verdicts.has(end), tier.verdicts.has(end)];
          if (was !== is) count(end, is ? 1 : -1);
        }
      }
    }
    for (const tier of this.tiers)
      if (!tiers.has(tier) && !grown.has(tier)) for (const end of tier.verdicts.keys()) count(end, -1);
    this.tiers = tiers;
    if (!isSame) this.ends = new Set(this.uses.keys());
    return this.ends;
  }
}
