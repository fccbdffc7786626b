import type { Inventory } from "@tierwall/core/model";
import { messageOf, replaceFile } from "@tierwall/kube";
import type { Count } from "../kernel/counters.js";
import type { Outcome } from "../kernel/outcome.js";
import type { BookEntry, NodeProgram } from "../ruleset/program.js";
import { cutCounter } from "../ruleset/vocabulary.js";
import { Audit, lineVerdict } from "./audit.js";
import { type CounterReading, Counts, type Growth, readStateFile } from "./counts.js";
import { type CutConnection, CutReport, type CutReportOptions } from "./cut-report.js";
import { AddressOwners } from "./address-owners.js";
import { type HitsReport, hitsReport } from "./hits.js";
import { LineLog } from "./line-log.js";
import { parseLoggedPacket } from "./logged-packet.js";
import { AgentMetrics } from "./metrics.js";
import { RuleSeries } from "./rule-series.js";
import { RuleVersions } from "./rule-versions.js";
import { findUlogd, Ulogd } from "./ulogd.js";

export interface ObserverOptions {
  readonly node: string;
  /** The whole node is in shadow mode: packets that its rules deny are not dropped. */
  readonly shadow: boolean;
  /** Sums of counters are stored here across restarts. */
  readonly stateFile: string;
  /** What each counter has counted since the last call, over all tables, by name. */
  readonly readCounters: () => Promise<Outcome<ReadonlyMap<string, Count>>>;
  /** How often counters are read, in milliseconds. */
  readonly every: number;
  /** How many rules get their own series in Prometheus. */
  readonly series: number;
  readonly audit?: {
    /** A file, or `-`. */
    readonly log: string;
    /** The NFLOG group. */
    readonly group: number;
    /** For the configuration of ulogd, and the socket between it and the agent. */
    readonly folder: string;
  };
  /** How to list the connections that are cut, and how to report them. */
  readonly cut: Pick<CutReportOptions, "list" | "onCut">;
  readonly onTrouble: (message: string) => void;
}

/** With thousands of rules the state is a large file. If the agent is killed, this many milliseconds of counts are lost. */
const saveEvery = 60_000;

/*
 *   kernel ──► counters ──► Counts ──┬──► RuleSeries ──► /metrics
 *     │ │                            ├──► state file ──► hits
 *     │ │                            └──► Suppressed ─┐
 *     │ └──► marks ──► CutReport                      │
 *     └──► NFLOG ──► ulogd ──► LoggedPacket ──► Audit ┴──► LineLog
 */
export class Observer {
  readonly metrics = new AgentMetrics(() => identitiesIn(this.#sets));
  readonly #counts: Counts;
  readonly #series: RuleSeries;
  readonly #cut: CutReport;
  readonly #audit: Audit | undefined;
  readonly #log: LineLog | undefined;
  #ulogd: Ulogd | undefined;
  /** Undefined before the first rules: until then the rules of the counters in the kernel are unknown. */
  #book: ReadonlyMap<string, BookEntry> | undefined;
  readonly #versions = new RuleVersions();
  readonly #ends = new AddressOwners();
  #sets: NodeProgram["ruleset"]["sets"] = new Map();
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #saved = Number.NEGATIVE_INFINITY;
  #loggedOthers = false;
  #loggedUnread = false;
  #loggedUnsaved = false;
  #figures = { running: false, lines: 0, suppressed: 0, cut: 0 };

  /** Throws if the audit log cannot be opened. */
  constructor(private readonly options: ObserverOptions) {
    const { saved, problem } = readStateFile(options.stateFile);
    if (problem !== undefined) options.onTrouble(`${problem}; counts start at zero`);
    this.#counts = new Counts(options.node, saved);
    this.#series = new RuleSeries(this.metrics, options.series);
    this.#cut = new CutReport({ ...options.cut, ends: this.#ends, onTrouble: options.onTrouble });
    if (options.audit === undefined) return;
    const log = new LineLog(options.audit.log, options.onTrouble);
    this.#log = log;
    this.#audit = new Audit({
      node: options.node,
      shadow: options.shadow,
      rules: this.#versions,
      ends: this.#ends,
      write: (line) => {
        const written = log.write(line);
        if ("suppressed" in line) return;
        if (!written) return this.#suppress(1);
        this.#figures.lines++;
        this.metrics.auditLines.inc({ verdict: lineVerdict(line) });
      },
    });
  }

  async start(): Promise<void> {
    await this.#startUlogd();
    await this.#cut.start();
    // Shows now, not when counts would be lost, whether the file can be written.
    this.#save();
    const { every } = this.options;
    const read = () => this.read().catch((cause: unknown) => this.#unread(String(cause)));
    this.#timer = setInterval(() => void read(), every).unref();
  }

  /** These rules are about to be written to the kernel: their log lines can arrive before the write is confirmed. */
  coming({ book }: Pick<NodeProgram, "book">): void {
    this.#versions.coming(this.options.shadow ? watched(book) : book);
  }

  /** These rules are in the kernel now. */
  programmed(
    { book, ruleset }: Pick<NodeProgram, "book" | "ruleset">,
    cluster: Pick<Inventory, "pods" | "nodes">,
  ): void {
    this.#book = this.options.shadow ? watched(book) : book;
    this.#sets = ruleset.sets;
    this.#ends.update(cluster);
    this.#versions.programmed(this.#book);
  }

  /** Reads counters and updates everything that depends on them. One reading at a time: concurrent calls share it. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async hits(): Promise<HitsReport> {
    await this.read();
    this.#save();
    return hitsReport(this.#counts.saved());
  }

  /** Figures of the audit log; undefined if there is none. */
  get auditFigures():
    | { readonly running: boolean; readonly lines: number; readonly suppressed: number }
    | undefined {
    const { running, lines, suppressed } = this.#figures;
    return this.#audit === undefined ? undefined : { running, lines, suppressed };
  }

  /** How many established connections were cut in this run. */
  get cutConnections(): number {
    return this.#figures.cut;
  }

  /** The last ones, the latest first. */
  get lastCut(): readonly CutConnection[] {
    return this.#cut.last;
  }

  /** The audit log was moved. */
  reopen(): void {
    this.#log?.reopen();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#ulogd?.stop();
    await this.read();
    this.#save();
    this.#log?.close();
  }

  async #read(): Promise<void> {
    if (this.#book === undefined) return;
    const counters = await this.options.readCounters();
    if (!counters.ok) return this.#unread(counters.message);
    this.#loggedUnread = false;
    const reading: CounterReading = { at: new Date(), counters: counters.value };
    const grown = this.#counts.read(reading, this.#book, this.#versions);
    this.#export(grown);
    this.#suppress(this.#audit?.counted(grown) ?? 0);
    this.#versions.counted();
    if (grown.some(({ name }) => name === cutCounter)) await this.#cut.look(reading.at);
    if (performance.now() - this.#saved > saveEvery) this.#save();
  }

  /** Logged once, and again only after a success. */
  #unread(message: string): void {
    if (!this.#loggedUnread) this.options.onTrouble(`cannot read counters: ${message}`);
    this.#loggedUnread = true;
  }

  #save(): void {
    this.#saved = performance.now();
    try {
      replaceFile(this.options.stateFile, JSON.stringify(this.#counts.saved()));
      this.#loggedUnsaved = false;
    } catch (cause) {
      if (!this.#loggedUnsaved)
        this.options.onTrouble(
          `cannot write \`${this.options.stateFile}\`, so counts are lost when the agent ends: ${messageOf(cause)}; set --state-dir to another folder`,
        );
      this.#loggedUnsaved = true;
    }
  }

  #suppress(lines: number): void {
    this.#figures.suppressed += lines;
    this.metrics.auditSuppressed.inc(lines);
  }

  #export(grown: readonly Growth[]): void {
    const others = this.#series.update(this.#counts.present(), grown);
    if (others > 0 && !this.#loggedOthers)
      this.options.onTrouble(
        `there are more than ${this.options.series} rules: metrics sum up ${others} of them as "(others)"`,
      );
    this.#loggedOthers = others > 0;
    for (const { name, packets } of grown) {
      if (name === cutCounter) {
        this.#figures.cut += packets;
        this.metrics.cutConnections.inc(packets);
      }
      const [, direction] = /^unknown_(ingress|egress)$/.exec(name) ?? [];
      if (direction !== undefined) this.metrics.unknownPodDrops.inc({ direction }, packets);
    }
  }

  async #startUlogd(): Promise<void> {
    const { audit, onTrouble } = this.options;
    if (audit === undefined) return;
    const installed = findUlogd();
    if ("missing" in installed) return onTrouble(`the audit log is off: ${installed.missing}`);
    this.#ulogd = new Ulogd({
      installed,
      group: audit.group,
      folder: audit.folder,
      onLine: (line) => {
        const packet = parseLoggedPacket(line);
        if (packet !== undefined) this.#audit?.logged(packet);
      },
      onRunning: (running) => {
        this.#figures.running = running;
        this.metrics.auditRunning.set(running ? 1 : 0);
      },
      onTrouble,
    });
    await this.#ulogd.start();
  }
}

/** On a node in shadow mode, every denial is a shadow denial. */
function watched(book: ReadonlyMap<string, BookEntry>): ReadonlyMap<string, BookEntry> {
  return new Map(
    [...book].map(([id, entry]) => [id, entry.verdict === "Deny" ? { ...entry, shadow: true } : entry]),
  );
}

/** The different identities in the maps of addresses and ranges. */
function identitiesIn(sets: NodeProgram["ruleset"]["sets"]): number {
  const identities = new Set<string>();
  for (const { type, elements } of sets.values())
    if (type.endsWith(" : classid") && elements !== "learned")
      for (const identity of elements.values()) identities.add(identity);
  return identities.size;
}
