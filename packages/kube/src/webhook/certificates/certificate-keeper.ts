import { type Connection, messageOf } from "../../cluster/connection.js";
import { Backoff, pause } from "../../cluster/pause.js";
import { pathTokenOf, pathWith } from "../path-token.js";
import { issue, type Issued } from "./issue.js";
import {
  bundleOf,
  type Certificates,
  type CertificateTimes,
  isDue,
  isGood,
  servedOf,
  validityFrom,
} from "./schedule.js";
import { CertificateSecret, type SecretName } from "./stored-certificates.js";
import { ensureTrusted } from "./trusted-bundle.js";

interface KeeperOptions {
  readonly secret: SecretName;
  /** The ValidatingWebhookConfiguration that is told whom to trust. */
  readonly configuration: string;
  /** What the webhook is reached by. */
  readonly names: readonly string[];
  readonly times: CertificateTimes;
}

interface KeeperListener {
  /** A certificate to serve from now on. */
  onCertificate(issued: Issued): void;
  onIssued(): void;
  /** The API server does not ask us, as nobody told it to. */
  onNoConfiguration(configuration: string): void;
  onTrouble(message: string): void;
}

/**
 * Has a good certificate at any time, shared with the other replicas, and has API servers trust it before it is served.
 *
 *   look ──► none, or two thirds of its life over ──► issue ──► write the Secret ──► trust old and new
 *     ▲                                                           │ another was faster: use his    │
 *     └──────────────────── wait ◄── serve the new one, once everybody had time to hear of it ◄────┘
 */
export class CertificateKeeper {
  private readonly stopping = new AbortController();
  private readonly secret: CertificateSecret;
  private served: Issued | undefined;
  private running: Promise<void> | undefined;
  private isMissed = false;
  /** Secret parts of the path that API servers may send requests to. */
  pathTokens: readonly string[] = [];
  /** Whether users may learn the path from an API server; true until the configuration was read. */
  showsPath = true;

  constructor(
    private readonly connection: Connection,
    private readonly options: KeeperOptions,
    private readonly listener: KeeperListener,
  ) {
    this.secret = new CertificateSecret(connection, options.secret);
  }

  /** Resolves when there is one to serve. */
  async start(): Promise<void> {
    const backoff = new Backoff(500, 15_000);
    while (!this.isStopped && !(await this.look())) await pause(backoff.next(), this.stopping.signal);
    this.running = this.keep();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async keep(): Promise<void> {
    while (!this.isStopped) {
      await pause(this.options.times.check, this.stopping.signal);
      if (!this.isStopped) await this.look();
    }
  }

  private async look(): Promise<boolean> {
    try {
      const { configuration, times } = this.options;
      const certificates = await this.current();
      const { latest, previous = latest } = certificates;
      // Of both: the other replicas and API servers hear of a new one at different times.
      this.pathTokens = [latest, previous].map(pathTokenOf);
      const served = servedOf(certificates, Date.now(), times);
      const bundle = bundleOf(certificates, Date.now());
      const path = pathWith(pathTokenOf(served));
      const { signal } = this.stopping;
      const trusted = await ensureTrusted(this.connection, configuration, { bundle, path }, signal);
      this.showsPath = !trusted.isConfigured || trusted.showsPath;
      this.tellMissing(!trusted.isConfigured);
      // Only now: whoever is served with it has been told to trust it.
      this.serve(served);
      return true;
    } catch (cause) {
      if (!this.isStopped) this.listener.onTrouble(messageOf(cause));
      return false;
    }
  }

  private async current(): Promise<Certificates> {
    const { names, times } = this.options;
    for (;;) {
      const { certificates, version } = await this.secret.read(this.stopping.signal);
      const now = Date.now();
      const latest = certificates?.latest;
      const isUsable = latest !== undefined && isGood(latest, names, now);
      if (isUsable && !isDue(latest, now)) return certificates!;
      const fresh = issue({ names, ...validityFrom(now, times) });
      const next = isUsable ? { latest: fresh, previous: latest } : { latest: fresh };
      if (!(await this.secret.write(next, version, this.stopping.signal))) continue;
      this.listener.onIssued();
      return next;
    }
  }

  private serve(issued: Issued): void {
    if (this.served?.certificate === issued.certificate) return;
    this.served = issued;
    this.listener.onCertificate(issued);
  }

  private tellMissing(isMissing: boolean): void {
    if (isMissing && !this.isMissed) this.listener.onNoConfiguration(this.options.configuration);
    this.isMissed = isMissing;
  }
}
