import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { connect, messageOf } from "../cluster/connection.js";
import { openMetrics } from "../http/metrics-server.js";
import { refuseToStart, serviceLog, stopSignal } from "../service/service-process.js";
import { AnalystThread } from "../webhook/analyst-thread.js";
import { ClientAuthority } from "../webhook/client-authority.js";
import { Webhook, type WebhookParts } from "../webhook/webhook.js";
import { Controller, type ControllerCommand, type ControllerService } from "./controller.js";
import { ControllerMetrics } from "./controller-metrics.js";

export async function controllerProcess(options: ControllerCommand): Promise<number> {
  // Two processes on one host have different identities, and so does one that was restarted.
  const identity = `${hostname()}_${randomUUID().slice(0, 8)}`;
  const log = serviceLog({ identity });
  const connected = await connect(options.connection);
  if (!connected.ok) return refuseToStart(log, connected.message);
  const { connection } = connected;
  const metrics = new ControllerMetrics();
  const { connection: _, services: others = [], metrics: served, webhook: admitting, ...rest } = options;
  const isReady = () => controller.live.situation !== undefined;
  const unreadForeign = () => controller.live.situation?.unreadForeign ?? [];
  const services: ControllerService[] = [];
  const analyst = new AnalystThread({ ...options.state, judges: admitting !== undefined }, (message) =>
    log.error({ message }, lostAnalyst),
  );
  let webhook: Webhook | undefined;
  try {
    const parts = { connection, metrics, log, isReady, unreadForeign, judge: analyst };
    webhook = admitting && webhookOf(parts, options, admitting);
  } catch (cause) {
    await analyst.stop();
    return refuseToStart(log, messageOf(cause));
  }
  const controller = new Controller(connection, { ...rest, identity, analyst }, metrics, log);
  services.push(analyst, ...(webhook === undefined ? [] : [webhook]));
  try {
    if (served !== undefined) {
      const health = {
        broken: () => analyst.broken,
        waitingFor: () => controller.waitingFor ?? webhook?.waitingFor,
      };
      const { close } = await openMetrics(served, { metrics, health, connection, log });
      services.push({ stop: close });
    }
    for (const start of others) services.push(await start(controller, log));
  } catch (cause) {
    // Open listeners would keep the process from ending.
    for (const service of services) await service.stop();
    return refuseToStart(log, messageOf(cause));
  }
  const signalled = stopSignal();
  let isStopping = false;
  webhook?.start().catch((cause: unknown) => {
    if (!isStopping) log.error({ message: messageOf(cause) }, "the webhook could not be started");
  });
  log.info({ server: connection.server, namespace: options.namespace }, "reading the cluster");
  // Reading the cluster may take long; signals are handled meanwhile.
  const started = controller.start().then(
    () => log.info({ pods: controller.live.situation?.cluster.pods.size }, "the cluster is known"),
    (cause: unknown) => log.error(`the source failed: ${messageOf(cause)}`),
  );
  log.info({ signal: await signalled }, "stopping");
  isStopping = true;
  await controller.stop();
  await started;
  for (const service of services.toReversed()) await service.stop();
  return 0;
}

type Admitting = NonNullable<ControllerCommand["webhook"]>;

const lostAnalyst = "edits may be admitted without being judged, and guarantees may not be decided";

/** Throws where the authorities of clients cannot be used. */
function webhookOf(
  parts: Omit<WebhookParts, "options" | "clients">,
  { namespace }: Pick<ControllerCommand, "namespace">,
  { clients, ...options }: Admitting,
): Webhook {
  const { log } = parts;
  const authority =
    clients &&
    new ClientAuthority(clients, (message) =>
      log.warn({ message }, "the authorities of clients were not read again"),
    );
  return new Webhook({ ...parts, options: { ...options, namespace }, clients: authority });
}
