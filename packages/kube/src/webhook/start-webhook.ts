import type { ForeignKind } from "@tierwall/core/manifest";
import type { Logger } from "pino";
import type { Connection } from "../cluster/connection.js";
import type { ServiceMetrics } from "../service/service-metrics.js";
import { admit } from "./admit.js";
import type { Judge } from "./analyst-thread.js";
import type { ClientAuthority } from "./client-authority.js";
import { CertificateKeeper } from "./certificates/certificate-keeper.js";
import type { Issued } from "./certificates/issue.js";
import { type CertificateTimes, expiryOf, usualCertificateTimes } from "./certificates/schedule.js";
import { usualConfiguration, usualSecret } from "./configuration.js";
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
  readonly secret?: string;
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
  readonly clients?: ClientAuthority;
  /** Ends the wait for a first certificate. */
  readonly signal?: AbortSignal;
}

export interface Webhook {
  readonly port: number;
  /** Where API servers send requests to now. */
  readonly path: () => string;
  stop(): Promise<void>;
}

/** The name that API servers have for a Service. */
export const serviceHost = (service: string, namespace: string): string => `${service}.${namespace}.svc`;

/**
 * Admission of policies, on every replica.
 *
 *   API server ──► server ──► admit ──► judge
 *                    ▲
 *                    └── certificates ◄──► Secret, ValidatingWebhookConfiguration
 */
export async function startWebhook(parts: WebhookParts): Promise<Webhook> {
  const { connection, judge, isReady, log, options } = parts;
  const { namespace, names, secret = usualSecret, configuration = usualConfiguration } = options;
  const metrics = webhookMetrics(parts.metrics);
  const visibility = new ReviewedVisibility(connection, (message) =>
    log.warn({ message }, "the API server did not say what a user may read: names are withheld"),
  );
  const server = new WebhookServer(
    async (request, deadline) => {
      const began = performance.now();
      const { user: _, ...anonymous } = request;
      // A client that learned the path could say that it is any user: then no user is believed, and nothing is named.
      const isBelieved = parts.clients !== undefined || !keeper.showsPath;
      const admitted = await admit(isBelieved ? request : anonymous, {
        judge,
        visibility,
        isReady,
        deadline,
        unreadForeign: parts.unreadForeign?.() ?? [],
      });
      const seconds = (performance.now() - began) / 1000;
      metrics.answered(request.operation, admitted, seconds);
      const { answer, fallback, judgement } = admitted;
      if (judgement?.failure !== undefined)
        log.error({ failure: judgement.failure }, "what an edit changes could not be found out");
      log.debug({ operation: request.operation, answer, fallback, seconds }, "an edit was answered");
      return answer;
    },
    {
      onBadRequest: (message) => {
        metrics.bad();
        log.debug({ message }, "a request was refused that is none of an API server");
      },
      onTrouble: (message) => log.error({ message }, "the webhook failed to answer"),
    },
    () => keeper.pathTokens,
    parts.clients,
  );
  let served: Issued | undefined;
  const keeper = new CertificateKeeper(
    connection,
    {
      secret: { namespace, name: secret },
      configuration,
      names,
      times: options.times ?? usualCertificateTimes,
    },
    {
      onCertificate: (issued) => {
        served = issued;
        server.serve(issued);
        metrics.serves(expiryOf(issued));
        log.info({ until: new Date(expiryOf(issued)).toISOString() }, "the webhook has a certificate");
      },
      onIssued: () => log.info({ secret }, "a certificate was issued"),
      onNoConfiguration: (name) =>
        log.warn(
          { configuration: name },
          "no ValidatingWebhookConfiguration has API servers ask the webhook",
        ),
      onTrouble: (message) => log.warn({ message }, "certificates could not be looked after"),
    },
  );
  const giveUp = () => void keeper.stop();
  parts.signal?.addEventListener("abort", giveUp);
  await keeper.start();
  if (served === undefined) throw new Error("the webhook was stopped before it had a certificate");
  const port = await server.listen(options.port, options.listen, served);
  log.info({ port }, "the webhook answers");
  return {
    port,
    path: () => pathWith(keeper.pathTokens[0]!),
    stop: async () => {
      await Promise.all([server.stop(), keeper.stop()]);
    },
  };
}
