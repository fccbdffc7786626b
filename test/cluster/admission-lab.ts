import { pino } from "pino";
import {
  controllerKinds,
  AnalystThread,
  ClientAuthority,
  type ClientOptions,
  type CertificateTimes,
  ClusterSource,
  type Connection,
  Webhook,
  webhookConfiguration,
} from "@tierwall/kube";
import { ServiceMetrics } from "@tierwall/kube/service";
import { ApiClient } from "./api-client.js";
import type { ControlPlane } from "./control-plane.js";
import { type KubectlRan, kubectl } from "./kubectl.js";

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
/** Threads run what is built. */
const worker = new URL("../../packages/kube/dist/webhook/analyst-worker.js", import.meta.url);

export interface LabOptions {
  readonly times?: CertificateTimes;
  readonly failurePolicy?: "Ignore" | "Fail";
  readonly timeoutSeconds?: number;
  /** Which clients are answered; all, if it is absent. */
  readonly clients?: ClientOptions;
  /** Fills the analyst with another cluster than the API server has. */
  readonly fill?: (analyst: AnalystThread) => void;
}

/** A webhook of this process that a real API server asks. */
export class AdmissionLab {
  private constructor(
    private readonly plane: ControlPlane,
    private readonly api: ApiClient,
    readonly analyst: AnalystThread,
    private readonly source: ClusterSource | undefined,
    readonly webhook: Webhook,
    readonly port: number,
    readonly metrics: ServiceMetrics,
    readonly said: readonly string[],
  ) {}

  static async start(plane: ControlPlane, options: LabOptions = {}): Promise<AdmissionLab> {
    const { fill, times, clients, failurePolicy = "Fail", timeoutSeconds = 30 } = options;
    const connection = await plane.connect();
    const api = new ApiClient(connection);
    const said: string[] = [];
    const log = pino({ level: "debug" }, { write: (line: string) => void said.push(line) });
    const analyst = new AnalystThread({}, (message) => log.error(message), worker);
    const source = fill === undefined ? await followed(connection, analyst) : undefined;
    fill?.(analyst);
    const metrics = new ServiceMetrics();
    const webhook = new Webhook({
      connection,
      judge: analyst,
      isReady: () => true,
      ...(clients === undefined ? {} : { clients: new ClientAuthority(clients, () => undefined) }),
      metrics,
      log,
      options: {
        port: 0,
        listen: "127.0.0.1",
        namespace: "tierwall-system",
        names: ["127.0.0.1"],
        times: times ?? { life: 3_600_000, lead: 1000, check: 200 },
      },
    });
    const port = await webhook.start();
    const lab = new AdmissionLab(plane, api, analyst, source, webhook, port, metrics, said);
    const url = `https://127.0.0.1:${port}/validate`;
    await api.create(
      configurations,
      webhookConfiguration({ namespace: "tierwall-system", address: { url }, failurePolicy, timeoutSeconds }),
    );
    await lab.untilAsked();
    return lab;
  }

  /** The API server reads webhooks and their authorities a moment after they are written. */
  private async untilAsked(): Promise<void> {
    const probe = JSON.stringify({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "probe", namespace: "default" },
      spec: { podSelector: {} },
    });
    for (let tries = 0; tries < 300; tries++) {
      const before = await this.answered();
      const { status } = await kubectl(
        this.plane.kubeconfig(),
        ["create", "--dry-run=server", "-f", "-"],
        probe,
      );
      if (status === 0 && (await this.answered()) > before) return;
      await new Promise((next) => setTimeout(next, 100));
    }
    throw new Error(`the API server does not ask:\n${this.said.join("")}`);
  }

  /** How often the webhook was asked. */
  async answered(): Promise<number> {
    const { values } = await this.metrics.registry.getSingleMetric("tierwall_webhook_requests_total")!.get();
    return values.reduce((sum, { value }) => sum + value, 0);
  }

  async kubectl(
    args: readonly string[],
    object?: object,
    user: "admin" | "guest" = "admin",
  ): Promise<KubectlRan> {
    const input = object === undefined ? undefined : JSON.stringify(object);
    return kubectl(this.plane.kubeconfig(user), args, input);
  }

  /** What `kubectl apply` would say, without doing it. */
  async dryRun(object: object): Promise<KubectlRan> {
    return this.kubectl(
      ["apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-"],
      object,
    );
  }

  async stop(): Promise<void> {
    await this.webhook.stop();
    await this.source?.stop();
    await this.analyst.stop();
    await this.api.delete(`${configurations}/tierwall`);
  }
}

async function followed(connection: Connection, follower: AnalystThread): Promise<ClusterSource> {
  const source = new ClusterSource(connection, { kinds: controllerKinds, follower });
  await source.start(() => undefined);
  return source;
}
