import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface ServerBinaries {
  readonly apiserver: string;
  readonly etcd: string;
}

export interface ServerPorts {
  readonly etcd: number;
  readonly peers: number;
  readonly api: number;
}

/** Users by their tokens; the first may do anything, others nothing unless a role says so. */
export type ServerUsers = readonly (readonly [token: string, user: string])[];

/**
 * A real API server with a real etcd behind it, on free ports of this machine, with everything of theirs in a folder that goes away
 * with them. There are no controllers and no nodes: objects are what tests and benchmarks make them.
 */
export class LocalApiServer {
  protected readonly folder = mkdtempSync(join(tmpdir(), "tierwall-cluster-"));
  protected etcd: ChildProcess | undefined;
  private apiServer: ChildProcess | undefined;

  constructor(
    private readonly binaries: ServerBinaries,
    protected readonly ports: ServerPorts,
    private readonly users: ServerUsers,
  ) {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const tokens = users.map(
      ([token, user], i) => `${token},${user},${i + 1}${i === 0 ? ',"system:masters"' : ""}\n`,
    );
    this.write("accounts.key", privateKey);
    this.write("accounts.pub", publicKey);
    this.write("tokens.csv", tokens.join(""));
  }

  get server(): string {
    return `https://127.0.0.1:${this.ports.api}`;
  }

  /** What clients trust it by; not there before the server is. */
  protected get certificate(): string {
    return this.at("certificates/apiserver.crt");
  }

  /** The path of a kubeconfig with this token. */
  kubeconfigWith(token: string, user: string, server = this.server): string {
    const cluster = server.startsWith("https:")
      ? { server, "certificate-authority": this.certificate }
      : { server, "insecure-skip-tls-verify": true };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: "test", context: { cluster: "test", user } }],
      "current-context": "test",
    };
    return this.write(`${user}-${new URL(server).port}.kubeconfig`, JSON.stringify(config));
  }

  async startEtcd(): Promise<void> {
    const [clients, peers] = [this.ports.etcd, this.ports.peers].map((port) => `http://127.0.0.1:${port}`);
    this.etcd = this.run(this.binaries.etcd, "etcd", [
      `--data-dir=${this.at("etcd")}`,
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

  async startApiServer(more: readonly string[] = []): Promise<void> {
    this.apiServer = this.run(this.binaries.apiserver, "apiserver", [
      `--etcd-servers=http://127.0.0.1:${this.ports.etcd}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${this.ports.api}`,
      "--advertise-address=192.0.2.1",
      // It makes its own certificate there.
      `--cert-dir=${this.at("certificates")}`,
      `--token-auth-file=${this.at("tokens.csv")}`,
      `--service-account-key-file=${this.at("accounts.pub")}`,
      `--service-account-signing-key-file=${this.at("accounts.key")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      "--authorization-mode=RBAC",
      // There is no controller for service accounts here, and pods would wait for them.
      "--disable-admission-plugins=ServiceAccount",
      "--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112",
      ...more,
    ]);
    await this.untilReady("apiserver", this.apiServer, () => this.answersReady());
  }

  /** Without a chance to say goodbye. */
  async stopApiServer(): Promise<void> {
    await ended(this.apiServer, "SIGKILL");
  }

  async stop(): Promise<void> {
    await this.stopApiServer();
    await ended(this.etcd, "SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The path of what was written. */
  protected write(name: string, text: string): string {
    writeFileSync(this.at(name), text, { mode: 0o600 });
    return this.at(name);
  }

  protected at(name: string): string {
    return join(this.folder, name);
  }

  private answersReady(): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.users[0]![0]}` };
    return new Promise((resolve, reject) => {
      const options = { headers, ca: readFileSync(this.certificate), timeout: 10_000 };
      const sent = request(`${this.server}/readyz`, options, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      sent.on("timeout", () => sent.destroy(new Error("no answer")));
      sent.on("error", reject).end();
    });
  }

  private run(path: string, name: string, args: readonly string[]): ChildProcess {
    const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], cwd: this.folder });
    const log = createWriteStream(this.at(`${name}.log`), { flags: "a" });
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
    const path = this.at(`${name}.log`);
    const log = existsSync(path) ? readFileSync(path, "utf8") : "";
    throw new Error(`${name} did not start:\n${log.slice(-4000)}`);
  }
}

export async function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await exit;
}
