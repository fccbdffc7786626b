import { foreignGroups, type ForeignKind } from "@tierwall/core/manifest";
import { ApiReader } from "./api-reader.js";
import type { Connection } from "./connection.js";
import { Discovery } from "./discovery.js";
import { effectiveForeignKinds } from "./foreign-kinds.js";
import { BackgroundTask, pause } from "../timing/pause.js";

export interface ForeignApiTimes {
  /** The first request comes within this time, at random: a thousand agents may start at once. Milliseconds. */
  readonly first: number;
  /** From request to request, on average. */
  readonly every: number;
}

const usualForeignApiTimes: ForeignApiTimes = { first: 10_000, every: 300_000 };

interface ForeignApiListener {
  /** Called with the first answer, whenever it is another one, and after trouble. */
  onServed(kinds: readonly ForeignKind[]): void;
  /** Called once until there is an answer again. */
  onTrouble(message: string): void;
}

/**
 * Finds out which policy APIs of other projects a cluster serves, without reading an object. One small request every few
 * minutes, which the server answers without a body while nothing changes.
 */
export class ForeignApiWatch extends BackgroundTask {
  private readonly discovery: Discovery;
  private served: string | undefined;
  private isTroubled = false;

  constructor(
    connection: Connection,
    private readonly listener: ForeignApiListener,
    private readonly times: ForeignApiTimes = usualForeignApiTimes,
  ) {
    super();
    const { signal } = this.stopping;
    const reader = new ApiReader(connection, { idleMilliseconds: 30_000, signal });
    this.discovery = new Discovery(reader, new Set(foreignGroups));
  }

  protected override async run(): Promise<void> {
    const { signal } = this.stopping;
    await pause(Math.random() * this.times.first, signal);
    while (!signal.aborted) {
      await this.look();
      await pause(this.times.every * (0.75 + Math.random() / 2), signal);
    }
  }

  private async look(): Promise<void> {
    const discovered = await this.discovery.served();
    if (this.isStopped) return;
    if ("trouble" in discovered) {
      if (!this.isTroubled) this.listener.onTrouble(discovered.trouble.message);
      this.isTroubled = true;
      this.served = undefined;
      return;
    }
    this.isTroubled = false;
    const kinds = effectiveForeignKinds.filter((kind) => discovered.served.versionsOf(kind).length > 0);
    const served = kinds.map(({ group, kind }) => `${kind}.${group}`).join();
    if (served === this.served) return;
    this.served = served;
    this.listener.onServed(kinds);
  }
}
