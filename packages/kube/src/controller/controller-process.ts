import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { destination, type Logger, pino, stdTimeFunctions } from "pino";
import { connect, messageOf } from "../connection.js";
import { type Health, parseListenAddress, serveMetrics } from "../metrics-server.js";
import { AdmissionService } from "../webhook/admission-service.js";
import { Controller, type ControllerCommand } from "./controller.js";
import { ControllerMetrics } from "./controller-metrics.js";

/** Something that runs on every replica, whether it leads or not. */
interface Service {
  readonly stop: () => Promise<void>;
}

export async function controllerProcess(options: ControllerCommand): Promise<number> {
  // Two of the same host are two, and so is one that was started again.
  const identity = `${hostname()}_${randomUUID().slice(0, 8)}`;
  const log = controllerLog(identity);
  const connected = await connect(options.connection);
  if (!connected.ok) return refuse(log, connected.message);
  const { connection } = connected;
  const metrics = new ControllerMetrics();
  const { namespace, leaseDuration, state, metricsAddress, webhook } = options;
  const { registry } = metrics;
  const isReady = () => controller.live.situation !== undefined;
  const admission =
    webhook &&
    new AdmissionService({ connection, registry, log, state, isReady, options: { ...webhook, namespace } });
  const controller = new Controller(
    connection,
    {
      namespace,
      identity,
      leaseDuration,
      state,
      ...(admission === undefined ? {} : { follower: admission.follower }),
    },
    metrics,
    log,
  );
  const services: Service[] = admission === undefined ? [] : [admission];
  try {
    if (metricsAddress !== undefined) {
      const health = {
        broken: () => admission?.broken,
        waitingFor: () => controller.waitingFor ?? admission?.waitingFor,
      };
      services.push(await serve(metricsAddress, metrics, health, log));
    }
  } catch (cause) {
    await admission?.stop();
    return refuse(log, messageOf(cause));
  }
  admission?.start();
  const signalled = stopSignal();
  log.info({ server: connection.server, namespace }, "reading the cluster");
  // The state of the cluster may be long in coming; signals are heard meanwhile.
  const started = controller.start().then(
    () => log.info({ pods: controller.live.situation?.cluster.pods.size }, "the cluster is known"),
    (cause: unknown) => log.error(`the source failed: ${messageOf(cause)}`),
  );
  log.info({ signal: await signalled }, "stopping");
  await controller.stop();
  await started;
  for (const service of services.toReversed()) await service.stop();
  return 0;
}

async function serve(
  text: string,
  metrics: ControllerMetrics,
  health: Health,
  log: Logger,
): Promise<Service> {
  const address = parseListenAddress(text);
  if (address === undefined)
    throw new Error(`\`${text}\` is not an address and a port, such as 127.0.0.1:9464 or :9464`);
  const { port, close } = await serveMetrics(address, metrics, health);
  log.info({ port }, "serving /metrics, /livez and /readyz");
  return { stop: close };
}

function refuse(log: Logger, message: string): number {
  log.fatal(message);
  return 2;
}

/** JSON lines on stderr, written at once: the last words before a kill are the ones that matter. */
function controllerLog(identity: string): Logger {
  return pino(
    {
      base: { identity },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    destination({ dest: 2, sync: true }),
  );
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}
