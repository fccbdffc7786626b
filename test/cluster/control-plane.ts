import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import {
  cpSync,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type Connection, type Issued } from "@tierwall/kube";
import { findKubeBinaries } from "../../scripts/kube-binaries.mjs";
import { freePorts } from "./free-ports.js";

/*
 * A real API server with a real etcd behind it, on free ports of this machine, with everything of theirs in a folder that
 * goes away with them. There are no controllers and no nodes: objects are what tests make them.
 */

/** Why tests that want one are skipped here: getting it can take minutes. */
export const noControlPlane: string | undefined =
  findKubeBinaries() === undefined
    ? "no kube-apiserver and etcd at hand; `npm run test:cluster` gets them"
    : undefined;

/** Milliseconds; on a busy machine it takes a while. */
export const startTimeout = 1_200_000;
/** For tests with an API server, which has its own processes to wait for; and for what follows there from a change. */
export const testTimeout = 1_200_000;
export const patience = { timeout: 300_000, interval: 50 };

export class ControlPlane {
  private readonly folder = mkdtempSync(join(tmpdir(), "tierwall-cluster-"));
  private readonly tokens = { admin: randomUUID(), guest: randomUUID() };
  private apiServer: ChildProcess | undefined;
  private etcd: ChildProcess | undefined;

  private constructor(
    private readonly binaries: { readonly apiserver: string; readonly etcd: string },
    private readonly ports: { readonly etcd: number; readonly peers: number; readonly api: number },
  ) {}

  /** `webhookClient`: what the API server shows to webhooks. */
  static async start({ webhookClient }: { readonly webhookClient?: Issued } = {}): Promise<ControlPlane> {
    const binaries = findKubeBinaries() as { apiserver: string; etcd: string };
    const [etcd, peers, api] = await freePorts(3);
    const made = new ControlPlane(binaries, { etcd: etcd!, peers: peers!, api: api! });
    try {
      made.writeFiles();
      if (webhookClient !== undefined) made.writeWebhookClient(webhookClient);
      await made.startEtcd();
      await made.startApiServer();
    } catch (cause) {
      await made.stop();
      throw cause;
    }
    return made;
  }

  get server(): string {
    return `https://127.0.0.1:${this.ports.api}`;
  }

  /** What clients trust it by, in PEM. */
  get authority(): string {
    return readFileSync(join(this.folder, "certificates", "apiserver.crt"), "utf8");
  }

  /** As somebody who may do anything, or as a guest who may do nothing unless a role says so. */
  async connect(user: "admin" | "guest" = "admin", server = this.server): Promise<Connection> {
    const connected = await connect({ kubeconfig: this.kubeconfig(user, server) });
    if (!connected.ok) throw new Error(connected.message);
    return connected.connection;
  }

  /** The path of a kubeconfig. */
  kubeconfig(user: "admin" | "guest" = "admin", server = this.server): string {
    return this.kubeconfigWith(this.tokens[user], user, server);
  }

  /** The same for whoever has this token. */
  kubeconfigWith(token: string, user: string, server = this.server): string {
    const path = join(this.folder, `${user}-${new URL(server).port}.kubeconfig`);
    const secure = server.startsWith("https:");
    const cluster = secure
      ? { server, "certificate-authority": join(this.folder, "certificates", "apiserver.crt") }
      : { server, "insecure-skip-tls-verify": true };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: "test", context: { cluster: "test", user } }],
      "current-context": "test",
    };
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  async startApiServer(): Promise<void> {
    const { etcd, api } = this.ports;
    this.apiServer = this.run(this.binaries.apiserver, "apiserver", [
      `--etcd-servers=http://127.0.0.1:${etcd}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${api}`,
      "--advertise-address=192.0.2.1",
      // It makes its own certificate there.
      `--cert-dir=${join(this.folder, "certificates")}`,
      `--token-auth-file=${join(this.folder, "tokens.csv")}`,
      `--service-account-key-file=${join(this.folder, "accounts.pub")}`,
      `--service-account-signing-key-file=${join(this.folder, "accounts.key")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      "--authorization-mode=RBAC",
      // Nobody makes service accounts here, which pods would have to wait for.
      "--disable-admission-plugins=ServiceAccount",
      "--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112",
      ...(existsSync(this.admissionFile) ? [`--admission-control-config-file=${this.admissionFile}`] : []),
    ]);
    await this.untilReady("apiserver", this.apiServer, async () => {
      const connection = await this.connect();
      const { statusCode } = await discard(connection.send({ path: "/readyz", idleMilliseconds: 10_000 }));
      return statusCode === 200;
    });
  }

  /** Without a chance to say goodbye. */
  async stopApiServer(): Promise<void> {
    await ended(this.apiServer, "SIGKILL");
  }

  /** Forgets all versions but the latest: who still watches from an earlier one is told it is gone. */
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
    const [data, copy] = [join(this.folder, "etcd"), join(this.folder, "backup")];
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

  async stop(): Promise<void> {
    await ended(this.apiServer, "SIGKILL");
    await ended(this.etcd, "SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startEtcd(): Promise<void> {
    const [clients, peers] = [this.ports.etcd, this.ports.peers].map((port) => `http://127.0.0.1:${port}`);
    this.etcd = this.run(this.binaries.etcd, "etcd", [
      `--data-dir=${join(this.folder, "etcd")}`,
      "--unsafe-no-fsync",
      "--log-level=error",
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
    ]);
    await this.untilReady("etcd", this.etcd, async () => (await fetch(`${clients}/readyz`)).ok);
  }

  private writeFiles(): void {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const files = {
      "accounts.key": privateKey,
      "accounts.pub": publicKey,
      "tokens.csv": `${this.tokens.admin},admin,1,"system:masters"\n${this.tokens.guest},guest,2\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
  }

  private get admissionFile(): string {
    return join(this.folder, "admission.json");
  }

  /** As docs/webhook.md has it. */
  private writeWebhookClient({ certificate, key }: Issued): void {
    const at = (name: string) => join(this.folder, name);
    writeFileSync(at("webhook-client.crt"), certificate);
    writeFileSync(at("webhook-client.key"), key);
    const user = { "client-certificate": at("webhook-client.crt"), "client-key": at("webhook-client.key") };
    const kubeconfig = { apiVersion: "v1", kind: "Config", users: [{ name: "*", user }] };
    writeFileSync(at("webhook-client.kubeconfig"), JSON.stringify(kubeconfig));
    const configuration = {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "WebhookAdmissionConfiguration",
      kubeConfigFile: at("webhook-client.kubeconfig"),
    };
    const admission = {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AdmissionConfiguration",
      plugins: [{ name: "ValidatingAdmissionWebhook", configuration }],
    };
    writeFileSync(this.admissionFile, JSON.stringify(admission));
  }

  private run(path: string, name: string, args: readonly string[]): ChildProcess {
    const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], cwd: this.folder });
    const log = createWriteStream(this.logOf(name), { flags: "a" });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    const end = () => child.kill("SIGKILL");
    process.once("exit", end);
    child.once("exit", () => {
      process.off("exit", end);
      log.end();
    });
    return child;
  }

  private logOf(name: string): string {
    return join(this.folder, `${name}.log`);
  }

  private async untilReady(
    name: string,
    child: ChildProcess,
    isReady: () => Promise<boolean>,
  ): Promise<void> {
    for (let tries = 0; tries < 1200; tries++) {
      if (await isReady().catch(() => false)) return;
      if (child.exitCode !== null || child.signalCode !== null) break;
      await sleep(100);
    }
    const log = existsSync(this.logOf(name)) ? readFileSync(this.logOf(name), "utf8") : "";
    throw new Error(`${name} did not start:\n${log.slice(-4000)}`);
  }
}

async function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await exit;
}

async function discard<T extends NodeJS.ReadableStream>(response: Promise<T>): Promise<T> {
  const answer = await response;
  answer.resume();
  return answer;
}
