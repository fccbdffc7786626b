import type { LiveOptions } from "@tierwall/core/state";
import type { Follower } from "../cluster/cluster-source.js";
import { messageOf } from "../cluster/connection.js";
import { AnalystThread } from "./analyst-thread.js";
import { ClientAuthority, type ClientOptions } from "./client-authority.js";
import { startWebhook, type Webhook, type WebhookParts } from "./start-webhook.js";

interface AdmissionParts extends Omit<WebhookParts, "judge" | "signal" | "clients"> {
  /** Absent: every client that can connect is answered. */
  readonly clients?: ClientOptions;
  /** What no object of the cluster tells. */
  readonly state: LiveOptions;
}

/** The webhook and the thread that judges for it, as a part of a process that reads the cluster. */
export class AdmissionService {
  private readonly stopping = new AbortController();
  private readonly analyst: AnalystThread;
  private readonly clients: ClientAuthority | undefined;
  private webhook: Webhook | undefined;
  private starting: Promise<void> | undefined;

  /** Throws where the authorities of clients cannot be used. */
  constructor(private readonly parts: AdmissionParts) {
    const { state, log, clients } = parts;
    this.clients =
      clients &&
      new ClientAuthority(clients, (message) =>
        log.warn({ message }, "the authorities of clients were not read again"),
      );
    this.analyst = new AnalystThread(state, (message) =>
      log.error({ message }, "edits are let in without being judged, until this process is started again"),
    );
  }

  /** Has to hear of every object. */
  get follower(): Follower {
    return this.analyst;
  }

  /** Goes on by itself: certificates may be long in coming. */
  start(): void {
    const { clients: _, ...parts } = this.parts;
    const { log } = parts;
    this.starting = startWebhook({
      ...parts,
      judge: this.analyst,
      signal: this.stopping.signal,
      ...(this.clients === undefined ? {} : { clients: this.clients }),
    }).then(
      (webhook) => void (this.webhook = webhook),
      (cause: unknown) => {
        if (!this.stopping.signal.aborted)
          log.error({ message: messageOf(cause) }, "the webhook could not be started");
      },
    );
  }

  /** Why it can judge no longer and has to be started again. */
  get broken(): string | undefined {
    return this.analyst.broken;
  }

  /** What is still missing; undefined once API servers can ask. */
  get waitingFor(): string | undefined {
    return this.webhook === undefined ? "the webhook has no certificate yet, or no port" : undefined;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.starting;
    await this.webhook?.stop();
    await this.analyst.stop();
  }
}
