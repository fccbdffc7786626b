import type { JsonObject } from "@tierwall/core/manifest";
import { type Connection, messageOf } from "../cluster/connection.js";
import { pathOf, reportedKindOf } from "../cluster/kinds.js";
import { Backoff, pause, RateLimit } from "../timing/pause.js";
import { type Condition, dated, type Reported, sameConditions, type StoredCondition } from "./condition.js";
import { jsonRequest, refusalIn } from "../cluster/json-request.js";
import type { Leadership } from "./leader-election.js";
import { StorageVersions } from "./storage-version.js";
import type { StoredPolicies } from "./stored-policies.js";

/** What the status of a policy or a guarantee should be. */
export interface Wanted {
  readonly policy: Reported;
  readonly conditions: readonly Condition[];
  /** Of guarantees only. */
  readonly restsOn?: readonly string[];
}

interface WriterListener {
  /** A write, with what stood there before. */
  onWritten(wanted: Wanted, before: readonly StoredCondition[], after: readonly StoredCondition[]): void;
  onFailed(policy: Reported, message: string): void;
}

/** Milliseconds, on an average: a policy is written at most this often, however often its conditions change. */
const shortestPause = 1000;
/** Where another program overwrites conditions each time, we write less and less often. */
const longestPause = 300_000;
const ownerOfFields = "tierwall";

/**
 * Makes the conditions on policies what they should be, by server-side apply. What is there already is not written;
 * each policy by itself, all of them within a limit.
 */
export class StatusWriter {
  private readonly due = new Map<string, number>();
  private readonly written = new Map<string, Written>();
  private readonly versions: StorageVersions;
  private readonly limit = new RateLimit(20, 50);
  private readonly backoff = new Backoff(250, 30_000);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly stored: StoredPolicies,
    private readonly wantedFor: (uid: string) => Wanted | undefined,
    private readonly leadership: Leadership,
    private readonly listener: WriterListener,
  ) {
    this.versions = new StorageVersions(connection);
    leadership.signal.addEventListener("abort", () => clearTimeout(this.timer), { once: true });
  }

  /** Checks a policy: soon, or after some time if it is not requested sooner. */
  check(uid: string, inMilliseconds = 0): void {
    const now = performance.now();
    const at = Math.min(this.due.get(uid) ?? Number.POSITIVE_INFINITY, now + inMilliseconds);
    this.due.set(uid, at);
    if (this.running === undefined) this.schedule();
  }

  /** Policies that are no longer there need not be remembered. */
  forget(isGone: (uid: string) => boolean): void {
    for (const uid of this.written.keys()) if (isGone(uid)) this.written.delete(uid);
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (this.due.size === 0 || !this.leadership.holds()) return;
    const next = Math.min(...this.due.values());
    this.timer = setTimeout(() => this.begin(), Math.max(0, next - performance.now()));
  }

  private begin(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      this.schedule();
    });
  }

  private async run(): Promise<void> {
    const { signal } = this.leadership;
    for (let uid = this.nextDue(); uid !== undefined; uid = this.nextDue()) {
      this.due.delete(uid);
      const wanted = this.toWrite(uid);
      if (wanted === undefined) continue;
      const wait = this.written.get(uid)?.waitFor(wanted) ?? 0;
      if (wait > 0) {
        this.check(uid, wait);
        continue;
      }
      await this.limit.turn(signal);
      if (!this.leadership.holds()) return;
      if (await this.write(uid)) this.backoff.reset();
      else await pause(this.backoff.next(), signal);
    }
  }

  private nextDue(): string | undefined {
    if (!this.leadership.holds()) return undefined;
    const now = performance.now();
    for (const [uid, at] of this.due) if (at <= now) return uid;
    return undefined;
  }

  private toWrite(uid: string): Wanted | undefined {
    const wanted = this.wantedFor(uid);
    const stored = wanted && this.stored.of(wanted.policy);
    if (wanted === undefined || stored === undefined) return undefined;
    const isSameRest =
      wanted.restsOn === undefined || JSON.stringify(wanted.restsOn) === JSON.stringify(stored.restsOn);
    return isSameRest && sameConditions(wanted.conditions, stored.conditions) ? undefined : wanted;
  }

  /** False: the API server is not well, and others need not be tried now. */
  private async write(uid: string): Promise<boolean> {
    // While it waited for its turn it may have become something else.
    const wanted = this.toWrite(uid);
    if (wanted === undefined) return true;
    const before = this.stored.of(wanted.policy)!.conditions;
    const conditions = dated(wanted.conditions, before, new Date());
    try {
      const { signal } = this.leadership;
      const send = async () => {
        const version = await this.versions.versionFor(wanted.policy, signal);
        return jsonRequest(this.connection, {
          ...applyOf({ ...wanted.policy, version }, conditions, wanted.restsOn),
          signal,
        });
      };
      let answer = await send();
      if (answer.status === 404) {
        // The version may be served no longer. A second 404, in the version that is stored now, means that the policy is gone.
        this.versions.forget(wanted.policy);
        answer = await send();
      }
      if (answer.status < 300) {
        this.stored.wrote(uid, answer.body);
        this.remember(uid, wanted);
        this.listener.onWritten(wanted, before, conditions);
        return true;
      }
      // Gone, or another of the same name: the watch will report it.
      if (answer.status === 404 || answer.status === 409) return true;
      this.listener.onFailed(wanted.policy, refusalIn(answer));
      this.remember(uid, wanted);
      this.check(uid, shortestPause);
      return answer.status !== 429 && answer.status < 500;
    } catch (cause) {
      if (!this.leadership.signal.aborted) this.listener.onFailed(wanted.policy, messageOf(cause));
      this.check(uid);
      return false;
    }
  }

  private remember(uid: string, wanted: Wanted): void {
    const known = this.written.get(uid) ?? new Written();
    known.note(wanted);
    this.written.set(uid, known);
  }
}

/** What was last written to a policy, to decide how soon to write again. */
class Written {
  private text = "";
  private at = Number.NEGATIVE_INFINITY;
  private before = Number.NEGATIVE_INFINITY;
  private repeats = 0;

  note({ conditions, restsOn }: Wanted): void {
    const text = JSON.stringify([conditions, restsOn]);
    this.repeats = text === this.text ? this.repeats + 1 : 0;
    this.text = text;
    this.before = this.at;
    this.at = performance.now();
  }

  /**
   * Milliseconds. Two writes may follow each other at once: that a policy is accepted, and a moment later what was proven. If we
   * write the same again, because another program undid it, we wait longer each time.
   */
  waitFor({ conditions, restsOn }: Wanted): number {
    const isSame = JSON.stringify([conditions, restsOn]) === this.text;
    const next = isSame
      ? this.at + Math.min(shortestPause * 2 ** (this.repeats + 1), longestPause)
      : this.before + 2 * shortestPause;
    return next - performance.now();
  }
}

function applyOf(policy: Reported, conditions: readonly StoredCondition[], restsOn: Wanted["restsOn"]) {
  const { group, version, kind, name, stored } = policy;
  const body: JsonObject = {
    apiVersion: `${group}/${version}`,
    kind,
    // Another policy of the same name, created meanwhile, is not changed.
    metadata: { name, uid: stored!.uid },
    status: {
      conditions: conditions.map((condition) => ({ ...condition })),
      ...(restsOn === undefined ? {} : { restsOn: [...restsOn] }),
    },
  };
  return {
    method: "PATCH",
    path: `${pathOf(reportedKindOf(policy), version)}/${name}/status?fieldManager=${ownerOfFields}&force=true`,
    as: "apply",
    body,
  } as const;
}
