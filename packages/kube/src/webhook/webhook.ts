import type { ForeignKind } from "@tierwall/core/manifest";
import type { Logger } from "pino";
import type { Connection } from "../cluster/connection.js";
import type { ServiceMetrics } from "../service/service-metrics.js";
import type { AdmissionAnswer, AdmissionRequest } from "./admission-review.js";
import { admit } from "./admit.js";
import type { Judge } from "./analyst-thread.js";
import type { ClientAuthority } from "./client-authority.js";
import { CertificateKeeper } from "./certificates/certificate-keeper.js";
import type { Issued } from "./certificates/issue.js";
import { type CertificateTimes, expiryOf, usualCertificateTimes } from "./certificates/schedule.js";
import { usualConfiguration } from "./configuration.js";
import { pathWith } from "./path-token.js";
import { ReviewedVisibility } from "./visibility.js";
import { webhookMetrics } from "./webhook-metrics.js";
import { WebhookServer } from "./webhook-server.js";

export interface WebhookOptions {
  /** 0 is any that is free. */
  readonly port: number;
  /** The address to listen on; all there are, if it is absent. */
  readonly listen?: string;
  /** The namespace that we run in, where the Secret of the certificates is. */
  readonly namespace: string;
  /** DNS names and addresses that API servers reach it by. */
  readonly names: readonly string[];
  readonly configuration?: string;
  readonly times?: CertificateTimes;
}

export interface WebhookParts {
  readonly connection: Connection;
  readonly judge: Judge;
  /** Whether the judge has seen the whole cluster. */
  readonly isReady: () => boolean;
  /** Kinds of policies of other projects that are served and cannot be read; none, if it is absent. */
  readonly unreadForeign?: () => readonly ForeignKind[];
  readonly metrics: ServiceMetrics;
  readonly log: Pick<Logger, "info" | "warn" | "error" | "debug">;
  readonly options: WebhookOptions;
  /** Absent: every client that knows the path is answered. */
  readonly clients?: ClientAuthority | undefined;
}

/** The name that API servers have for a Service. */
export const serviceHost = (service: string, namespace: string): string => `${service}.${namespace}.svc`;

/**
 * Admission of policies and guarantees, on every replica.
 *
 *   API server ──► server ──► admit ──► judge
 *                    ▲
 *                    └── certificates ◄──► Secret, ValidatingWebhookConfiguration
 */
export class Webhook {
  private readonly metrics: ReturnType<typeof webhookMetrics>;
  private readonly visibility: ReviewedVisibility;
  private readonly keeper: CertificateKeeper;
  private readonly server: WebhookServer;
  private served: Issued | undefined;
  private starting: Promise<number> | undefined;
  private isListening = false;

  constructor(private readonly parts: WebhookParts) {
    const { connection, log, options, clients } = parts;
    const { namespace, names, configuration = usualConfiguration, times = usualCertificateTimes } = options;
    this.metrics = webhookMetrics(parts.metrics);
    this.visibility = new ReviewedVisibility(connection, (message) =>
      log.warn({ message }, "the API server did not answer what a user may read: names are withheld"),
    );
    this.keeper = new CertificateKeeper(
      connection,
      { namespace, configuration, names, times },
      log,
      (issued) => this.serve(issued),
    );
    this.server = new WebhookServer(
      (request, deadline) => this.answer(request, deadline),
      {
        onBadRequest: (message) => {
          this.metrics.bad();
          log.debug({ message }, "a request was refused that is not from an API server");
        },
        onTrouble: (message) => log.error({ message }, "the webhook failed to answer"),
      },
      () => this.keeper.pathTokens,
      clients,
    );
  }

  /** The port, once API servers can ask: certificates may be long in coming. Rejects where it is stopped before that. */
  start(): Promise<number> {
    this.starting ??= this.listen();
    return this.starting;
  }

  /** Where API servers send requests to now. */
  get path(): string {
    return pathWith(this.keeper.pathTokens[0]!);
  }

  /** What is still missing; undefined once API servers can ask. */
  get waitingFor(): string | undefined {
    return this.isListening ? undefined : "the webhook has no certificate yet, or no port";
  }

  async stop(): Promise<void> {
    await this.keeper.stop();
    await this.starting?.catch(() => undefined);
    await this.server.stop();
  }

  private async listen(): Promise<number> {
    const { options, log } = this.parts;
    await this.keeper.first();
    if (this.served === undefined) throw new Error("the webhook was stopped before it had a certificate");
    const port = await this.server.listen(options.port, options.listen, this.served);
    this.isListening = true;
    log.info({ port }, "the webhook is ready");
    return port;
  }

  private serve(issued: Issued): void {
    this.served = issued;
    this.server.serve(issued);
    this.metrics.serves(expiryOf(issued));
    const until = new Date(expiryOf(issued)).toISOString();
    this.parts.log.info({ until }, "the webhook has a certificate");
  }

  private async answer(request: AdmissionRequest, deadline: number): Promise<AdmissionAnswer> {
    const { judge, isReady, clients, log } = this.parts;
    const began = performance.now();
    const { user: _, ...anonymous } = request;
    // A client that learned the path could claim to be any user. Then no user is trusted, and nothing is named.
    const isTrusted = clients !== undefined || !this.keeper.showsPath;
    const unreadForeign = this.parts.unreadForeign?.() ?? [];
    const admitting = { judge, visibility: this.visibility, isReady, deadline, unreadForeign };
    const admitted = await admit(isTrusted ? request : anonymous, admitting);
    const seconds = (performance.now() - began) / 1000;
    this.metrics.answered(request.operation, admitted, seconds);
    const { answer, fallback, judgement } = admitted;
    if (judgement?.failure !== undefined)
      log.error({ failure: judgement.failure }, "an edit could not be analysed");
    log.debug({ operation: request.operation, answer, fallback, seconds }, "an edit was answered");
    return answer;
  }
}
