import type { Direction } from "@tierwall/core";
import type { BookEntry } from "../ruleset/program.js";
import { counterOf } from "../ruleset/vocabulary.js";
import type { ChainStore } from "./chain-store.js";
import { EndUse } from "./end-use.js";
import type { End, Ends } from "./ends.js";
import { type NameSets, nameSetsOf } from "./name-sets.js";
import type { PeerReaches } from "./peer-reach.js";
import type { PortChains } from "./port-chains.js";
import type { RuleBook } from "./rule-book.js";
import { type RuleReach, RuleReaches } from "./rule-reach.js";
import type { Row, Rows, Subject } from "./subjects.js";
import { type TierChain, TierChains } from "./tier-chains.js";

/** What all pods of this node walk through. */
export interface Walks {
  readonly chains: ReadonlyMap<Subject, Readonly<Record<Direction, readonly TierChain[]>>>;
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
  readonly tier: TierChain;
  readonly reaches: readonly RuleReach[];
  readonly entries: readonly BookEntry[];
}

/** As many times something may be added to what is kept, before what nobody needs any more is looked for. */
const mostAdditions = 100;

export class WalkMaker {
  private readonly reaches: RuleReaches;
  private readonly tierChains: TierChains;
  private walked = new WeakMap<Row, Walked>();
  private before = new WeakMap<Row, Walked>();
  private chains: Walks["chains"] = new Map();
  private additions = 0;
  private readonly endUse = new EndUse();

  constructor(
    private readonly book: RuleBook,
    private readonly peers: PeerReaches,
    private readonly ends: Ends,
    private readonly ports: PortChains,
    chains: ChainStore,
  ) {
    this.reaches = new RuleReaches(peers, ends);
    this.tierChains = new TierChains(ports, chains);
  }

  /** Where ends are the same as last time, only rows that are new need to be looked at. */
  make(rows: ReadonlyMap<Subject, Rows>, change: "same" | "ends" | "other"): Walks {
    if (change === "same" && ++this.additions < mostAdditions) return this.makeAll(rows);
    this.additions = 0;
    this.before = change === "other" ? new WeakMap() : this.walked;
    this.walked = new WeakMap();
    this.reaches.update(change !== "other");
    this.ports.update();
    this.tierChains.update();
    return this.peers.renew(() => this.makeAll(rows));
  }

  private makeAll(rows: ReadonlyMap<Subject, Rows>): Walks {
    const book = new Map<string, BookEntry>();
    const tiers = new Map<string, TierChain>();
    const walk = (row: Row, subject: Subject) => {
      const known = this.walked.get(row) ?? this.walk(row, subject);
      this.walked.set(row, known);
      for (const entry of known.entries) book.set(entry.id, entry);
      tiers.set(known.tier.map, known.tier);
      return known.tier;
    };
    const chains = new Map<Subject, Record<Direction, readonly TierChain[]>>();
    const names = new Map<Subject, readonly NameSets[]>();
    for (const [subject, of] of rows) {
      const before = this.chains.get(subject);
      const inDirection = (direction: Direction) => {
        const now = of[direction].map((row) => walk(row, subject));
        const known = before?.[direction];
        return known?.length === now.length && known.every((tier, i) => tier === now[i]) ? known : now;
      };
      chains.set(subject, { egress: inDirection("egress"), ingress: inDirection("ingress") });
      const named = this.namesIn(of.egress);
      if (named.length > 0) names.set(subject, named);
    }
    this.chains = chains;
    const ends = this.endUse.update(new Set(tiers.values()));
    return { chains, tiers, ends, names, book, counters: new Set([...book.keys()].map(counterOf)) };
  }

  private walk(row: Row, subject: Subject): Walked {
    const isolation = this.book.isolationEntries(row.direction, row.tier, row.isolation);
    const records = row.rules.map((rule) => this.book.of(rule));
    const reaches = records.map((record) => this.reaches.of(record, subject));
    const before = this.before.get(row);
    const { come, gone } = this.ends;
    const tier = this.tierChains.of(reaches, isolation, before && { ...before, come, gone });
    return { tier, reaches, entries: [...records.map(({ entry }) => entry), ...isolation] };
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
