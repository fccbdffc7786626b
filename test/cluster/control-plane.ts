import { randomUUID } from "node:crypto";
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect, type Connection, type Issued } from "@tierwall/kube";
import { freePorts } from "../../bench/src/cluster/free-ports.js";
import {
  ended,
  LocalApiServer,
  type ServerBinaries,
  type ServerPorts,
} from "../../bench/src/cluster/local-api-server.js";
import { findKubeBinaries } from "../../scripts/kube-binaries.mjs";

/** Why tests that want one are skipped here: getting it can take minutes. */
export const noControlPlane: string | undefined =
  findKubeBinaries() === undefined
    ? "kube-apiserver and etcd were not found; `npm run test:cluster` gets them"
    : undefined;

/** Milliseconds; on a busy machine it takes a while. */
export const startTimeout = 1_200_000;
/** For tests with an API server, which has its own processes to wait for; and for what follows there from a change. */
export const testTimeout = 1_200_000;
export const patience = { timeout: 300_000, interval: 50 };

type User = "admin" | "guest";

/** An API server to break in all the ways in which one breaks. */
export class ControlPlane extends LocalApiServer {
  private constructor(
    binaries: ServerBinaries,
    ports: ServerPorts,
    private readonly tokens: Readonly<Record<User, string>>,
  ) {
    super(binaries, ports, [
      [tokens.admin, "admin"],
      [tokens.guest, "guest"],
    ]);
  }

  /** `webhookClient`: what the API server shows to webhooks. */
  static async start({ webhookClient }: { readonly webhookClient?: Issued } = {}): Promise<ControlPlane> {
    const [etcd, peers, api] = await freePorts(3);
    const made = new ControlPlane(
      findKubeBinaries() as ServerBinaries,
      { etcd: etcd!, peers: peers!, api: api! },
      { admin: randomUUID(), guest: randomUUID() },
    );
    try {
      if (webhookClient !== undefined) made.writeWebhookClient(webhookClient);
      await made.startEtcd();
      await made.startApiServer();
    } catch (cause) {
      await made.stop();
      throw cause;
    }
    return made;
  }

  /** What clients trust it by, in PEM. */
  get authority(): string {
    return readFileSync(this.certificate, "utf8");
  }

  /** As an administrator, or as a guest who may do nothing unless a role allows it. */
  async connect(user: User = "admin", server = this.server): Promise<Connection> {
    const connected = await connect({ kubeconfig: this.kubeconfig(user, server) });
    if (!connected.ok) throw new Error(connected.message);
    return connected.connection;
  }

  /** The path of a kubeconfig. */
  kubeconfig(user: User = "admin", server = this.server): string {
    return this.kubeconfigWith(this.tokens[user], user, server);
  }

  override async startApiServer(): Promise<void> {
    const admission = this.at("admission.json");
    await super.startApiServer(existsSync(admission) ? [`--admission-control-config-file=${admission}`] : []);
  }

  /** Forgets all versions but the latest: watches from an earlier one get the answer that it is gone. */
  async compact(): Promise<void> {
    const ask = async (path: string, body: object) => {
      const response = await fetch(`http://127.0.0.1:${this.ports.etcd}/v3/kv/${path}`, {
        method: "POST",
        body: JSON.stringify(body),
      });
      return (await response.json()) as { header: { revision: string } };
    };
    const { header } = await ask("range", { key: Buffer.from("compact").toString("base64") });
    await ask("compaction", { revision: header.revision, physical: true });
  }

  /** Remembers all there is. Gives back how to go back to it: server and etcd are restarted either way. */
  async backup(): Promise<() => Promise<void>> {
    const [data, copy] = [this.at("etcd"), this.at("backup")];
    await this.restart(() => cpSync(data, copy, { recursive: true }));
    return async () =>
      this.restart(() => {
        rmSync(data, { recursive: true });
        renameSync(copy, data);
      });
  }

  /** Kills both, and starts them again on what is on the disk. */
  async crash(): Promise<void> {
    await ended(this.etcd, "SIGKILL");
    await this.restart(() => undefined);
  }

  private async restart(meanwhile: () => void): Promise<void> {
    await this.stopApiServer();
    await ended(this.etcd, "SIGTERM");
    meanwhile();
    await this.startEtcd();
    await this.startApiServer();
  }

  /** As docs/how-to/secure-the-webhook.md has it. */
  private writeWebhookClient({ certificate, key }: Issued): void {
    const user = {
      "client-certificate": this.write("webhook-client.crt", certificate),
      "client-key": this.write("webhook-client.key", key),
    };
    const kubeconfig = { apiVersion: "v1", kind: "Config", users: [{ name: "*", user }] };
    const configuration = {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "WebhookAdmissionConfiguration",
      kubeConfigFile: this.write("webhook-client.kubeconfig", JSON.stringify(kubeconfig)),
    };
    const admission = {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AdmissionConfiguration",
      plugins: [{ name: "ValidatingAdmissionWebhook", configuration }],
    };
    this.write("admission.json", JSON.stringify(admission));
  }
}
