import type { Logger } from "pino";
import { type Connection, messageOf } from "../../cluster/connection.js";
import { BackgroundTask, Backoff, pause } from "../../timing/pause.js";
import { SharedObject } from "../../cluster/shared-object.js";
import { certificateSecret } from "../configuration.js";
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
import { certificatesIn, dataOf } from "./stored-certificates.js";
import { ensureTrusted } from "./trusted-bundle.js";

interface KeeperOptions {
  /** Where the Secret with the certificates is. */
  readonly namespace: string;
  /** The ValidatingWebhookConfiguration that receives the authorities. */
  readonly configuration: string;
  /** What the webhook is reached by. */
  readonly names: readonly string[];
  readonly times: CertificateTimes;
}

/**
 * Has a good certificate at any time, shared with the other replicas, and has API servers trust it before it is served.
 *
 *   look ──► none, or two thirds of its life over ──► issue ──► write the Secret ──► trust old and new
 *     ▲                                                           │ another replica was faster     │
 *     └──────────────────── wait ◄── serve the new one, once all API servers had time to read it ◄──┘
 */
export class CertificateKeeper extends BackgroundTask {
  private readonly secret: SharedObject;
  private served: Issued | undefined;
  private isMissed = false;
  /** Secret parts of the path that API servers may send requests to. */
  pathTokens: readonly string[] = [];
  /** Whether users may learn the path from an API server; true until the configuration was read. */
  showsPath = true;

  constructor(
    private readonly connection: Connection,
    private readonly options: KeeperOptions,
    private readonly log: Pick<Logger, "info" | "warn">,
    /** Called with each certificate to serve from now on. */
    private readonly onCertificate: (issued: Issued) => void,
  ) {
    super();
    const { namespace } = options;
    this.secret = new SharedObject(connection, `/api/v1/namespaces/${namespace}/secrets`, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: certificateSecret, namespace, labels: { "app.kubernetes.io/name": "tierwall" } },
    });
  }

  /** Until there is a certificate to serve; it is looked after from then on. */
  async first(): Promise<void> {
    const backoff = new Backoff(500, 15_000);
    while (!this.isStopped && !(await this.look())) await pause(backoff.next(), this.stopping.signal);
    this.start();
  }

  protected override async run(): Promise<void> {
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
      // Of both: replicas and API servers read a new one at different times.
      this.pathTokens = [latest, previous].map(pathTokenOf);
      const served = servedOf(certificates, Date.now(), times);
      const bundle = bundleOf(certificates, Date.now());
      const path = pathWith(pathTokenOf(served));
      const { signal } = this.stopping;
      const trusted = await ensureTrusted(this.connection, configuration, { bundle, path }, signal);
      this.showsPath = trusted.showsPath;
      this.reportMissing(!trusted.isConfigured);
      // Only now: every API server that gets it already trusts it.
      this.serve(served);
      return true;
    } catch (cause) {
      if (!this.isStopped)
        this.log.warn({ message: messageOf(cause) }, "certificates could not be checked or renewed");
      return false;
    }
  }

  private async current(): Promise<Certificates> {
    const { names, times } = this.options;
    const { signal } = this.stopping;
    for (;;) {
      const stored = await this.secret.read(signal);
      const certificates = certificatesIn(stored);
      const now = Date.now();
      const latest = certificates?.latest;
      const isUsable = latest !== undefined && isGood(latest, names, now);
      if (isUsable && !isDue(latest, now)) return certificates!;
      const fresh = issue({ names, ...validityFrom(now, times) });
      const next = isUsable ? { latest: fresh, previous: latest } : { latest: fresh };
      const fields = { type: "kubernetes.io/tls", data: dataOf(next) };
      // Where another replica was faster, its certificates are the ones to use.
      if ((await this.secret.write(stored, fields, signal)) === undefined) continue;
      this.log.info({ secret: certificateSecret }, "a certificate was issued");
      return next;
    }
  }

  private serve(issued: Issued): void {
    if (this.served?.certificate === issued.certificate) return;
    this.served = issued;
    this.onCertificate(issued);
  }

  private reportMissing(isMissing: boolean): void {
    const { configuration } = this.options;
    if (isMissing && !this.isMissed)
      this.log.warn(
        { configuration },
        "there is no ValidatingWebhookConfiguration, so API servers do not call the webhook",
      );
    this.isMissed = isMissing;
  }
}
