import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { destination, type Logger, pino, stdTimeFunctions } from "pino";
import { connect, messageOf } from "../connection.js";
import { parseListenAddress, serveMetrics } from "../metrics-server.js";
import { Controller, type ControllerCommand, type ControllerService } from "./controller.js";
import { ControllerMetrics } from "./controller-metrics.js";

export async function controllerProcess(options: ControllerCommand): Promise<number> {
  // Two of the same host are two, and so is one that was started again.
  const identity = `${hostname()}_${randomUUID().slice(0, 8)}`;
  const log = controllerLog(identity);
  const connected = await connect(options.connection);
  if (!connected.ok) return refuse(log, connected.message);
  const { connection } = connected;
  const metrics = new ControllerMetrics();
  const { connection: _, services: others = [], metricsAddress, ...rest } = options;
  const controller = new Controller(connection, { ...rest, identity }, metrics, log);
  const services: ControllerService[] = [];
  try {
    if (metricsAddress !== undefined) services.push(await serve(metricsAddress, metrics, controller, log));
    for (const start of others) services.push(await start(controller, log));
  } catch (cause) {
    // What listens already would keep the process from ending.
    for (const service of services) await service.stop();
    return refuse(log, messageOf(cause));
  }
  const signalled = stopSignal();
  log.info({ server: connection.server, namespace: options.namespace }, "reading the cluster");
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
  controller: Controller,
  log: Logger,
): Promise<ControllerService> {
  const address = parseListenAddress(text);
  if (address === undefined)
    throw new Error(`\`${text}\` is not an address and a port, such as 127.0.0.1:9464 or :9464`);
  const health = { broken: () => undefined, waitingFor: () => controller.waitingFor };
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
