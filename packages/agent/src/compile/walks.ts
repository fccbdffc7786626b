import type { Direction } from "@tierwall/core/model";
import type { BookEntry } from "../ruleset/program.js";
import type { ChainStore } from "./chain-store.js";
import { EndUse } from "./end-use.js";
import type { End, Ends } from "./ends.js";
import { type NameSets, nameSetsOf } from "./name-sets.js";
import type { PeerReaches } from "./peer-reach.js";
import type { PortChains } from "./port-chains.js";
import type { RuleBook } from "./rule-book.js";
import { RuleReaches } from "./rule-reach.js";
import type { Row, Rows, Subject } from "./subjects.js";
import type { Ending, Terminals } from "./terminals.js";
import { type Tier, type TierChain, TierChains } from "./tier-chains.js";

/** What all pods of this node walk through. */
export interface Walks {
  readonly chains: ReadonlyMap<Subject, Readonly<Record<Direction, readonly TierChain[]>>>;
  /** S1.17: what comes in to pods that share an address with others, in a walk that is not the last one. */
  readonly shared: ReadonlyMap<Subject, readonly TierChain[]>;
  /** By the names of their maps. */
  readonly tiers: ReadonlyMap<string, TierChain>;
  /** Those who are told apart. */
  readonly ends: ReadonlySet<End>;
  /** Names that pods may be allowed to talk to. */
  readonly names: ReadonlyMap<Subject, readonly NameSets[]>;
  readonly book: ReadonlyMap<string, BookEntry>;
  readonly counters: ReadonlySet<string>;
}

interface Walked {
  readonly tier: Tier;
  readonly entries: readonly BookEntry[];
  readonly counters: readonly string[];
}

/** What rules alone make of walks, whoever the ends are. */
type OfRules = Pick<Walks, "names" | "book" | "counters">;

/** As many times something may be added to what is kept, before what nobody needs any more is looked for. */
const mostAdditions = 100;

export class WalkMaker {
  private readonly reaches: RuleReaches;
  private readonly tierChains: TierChains;
  private walked: ReadonlyMap<Row, Walked> = new Map();
  private walkedFirst: ReadonlyMap<Row, Walked> = new Map();
  private made: { readonly rows: ReadonlyMap<Subject, Rows>; readonly ofRules: OfRules } | undefined;
  private additions = 0;
  private readonly endUse = new EndUse();

  constructor(
    private readonly book: RuleBook,
    private readonly peers: PeerReaches,
    ends: Ends,
    private readonly ports: PortChains,
    chains: ChainStore,
    private readonly terminals: Terminals,
  ) {
    this.reaches = new RuleReaches(peers, ends);
    this.tierChains = new TierChains(ports, chains);
  }

  /** Where only ends are others, what is known of rows grows with them; only rows that are new need to be looked at. */
  make(
    rows: ReadonlyMap<Subject, Rows>,
    sharing: ReadonlySet<Subject>,
    change: "same" | "ends" | "other",
  ): Walks {
    if (change === "other" || ++this.additions >= mostAdditions) return this.renew(rows, sharing, change);
    if (change === "ends") {
      this.reaches.grow();
      this.tierChains.grow(this.tiersInUse());
    }
    return this.makeAll(rows, sharing);
  }

  private renew(
    rows: ReadonlyMap<Subject, Rows>,
    sharing: ReadonlySet<Subject>,
    change: "same" | "ends" | "other",
  ): Walks {
    this.additions = 0;
    if (change === "ends") this.reaches.grow();
    // Ends that came are not in tiers yet, and those that went still are.
    if (change !== "same") this.tierChains.keepOnly([]);
    this.walked = new Map();
    this.walkedFirst = new Map();
    this.ports.update();
    const isValid = change !== "other";
    const made = this.peers.renew(() => this.reaches.renew(isValid, () => this.makeAll(rows, sharing)));
    this.tierChains.keepOnly(this.tiersInUse());
    return made;
  }

  private *tiersInUse(): Iterable<Tier> {
    for (const { tier } of this.walked.values()) yield tier;
    for (const { tier } of this.walkedFirst.values()) yield tier;
  }

  private makeAll(rows: ReadonlyMap<Subject, Rows>, sharing: ReadonlySet<Subject>): Walks {
    const walked = new Map<Row, Walked>();
    const walkedFirst = new Map<Row, Walked>();
    const tiers = new Map<string, TierChain>();
    const use = (known: Walked, row: Row, all: Map<Row, Walked>): TierChain => {
      all.set(row, known);
      const { chain } = known.tier;
      tiers.set(chain.map, chain);
      return chain;
    };
    const walk = (row: Row, subject: Subject) =>
      use(this.walked.get(row) ?? walked.get(row) ?? this.walk(row, subject), row, walked);
    const walkFirst = (row: Row, subject: Subject) => {
      const known = this.walkedFirst.get(row) ?? walkedFirst.get(row);
      return use(known ?? this.walk(row, subject, "leave"), row, walkedFirst);
    };
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
      // Isolation only ever denies.
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
