import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { connect, messageOf } from "../cluster/connection.js";
import { openMetrics } from "../http/open-metrics.js";
import { refuseToStart, serviceLog, stopSignal } from "../service/service-process.js";
import { AdmissionService } from "../webhook/admission-service.js";
import { Controller, type ControllerCommand, type ControllerService } from "./controller.js";
import { ControllerMetrics } from "./controller-metrics.js";

export async function controllerProcess(options: ControllerCommand): Promise<number> {
  // Two of the same host are two, and so is one that was started again.
  const identity = `${hostname()}_${randomUUID().slice(0, 8)}`;
  const log = serviceLog({ identity });
  const connected = await connect(options.connection);
  if (!connected.ok) return refuseToStart(log, connected.message);
  const { connection } = connected;
  const metrics = new ControllerMetrics();
  const { connection: _, services: others = [], metrics: served, webhook, ...rest } = options;
  const { namespace, state } = rest;
  const isReady = () => controller.live.situation !== undefined;
  let admission: AdmissionService | undefined;
  try {
    const unreadForeign = () => controller.live.situation?.unreadForeign ?? [];
    const parts = { connection, metrics, log, state, isReady, unreadForeign };
    if (webhook !== undefined)
      admission = new AdmissionService({
        ...parts,
        options: { ...webhook, namespace },
        ...(webhook.clients === undefined ? {} : { clients: webhook.clients }),
      });
  } catch (cause) {
    return refuseToStart(log, messageOf(cause));
  }
  const follower = admission === undefined ? {} : { follower: admission.follower };
  const controller = new Controller(connection, { ...rest, identity, ...follower }, metrics, log);
  const services: ControllerService[] = admission === undefined ? [] : [admission];
  try {
    if (served !== undefined) {
      const health = {
        broken: () => admission?.broken,
        waitingFor: () => controller.waitingFor ?? admission?.waitingFor,
      };
      const { close } = await openMetrics(served, { metrics, health, connection, log });
      services.push({ stop: close });
    }
    for (const start of others) services.push(await start(controller, log));
  } catch (cause) {
    // What listens already would keep the process from ending.
    for (const service of services) await service.stop();
    return refuseToStart(log, messageOf(cause));
  }
  admission?.start();
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
