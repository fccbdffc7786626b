import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A real API server with a real etcd behind it, on this machine, with everything of theirs in a folder of its own. */
export class ApiServer {
  private readonly folder = mkdtempSync(join(tmpdir(), "tierwall-bench-cluster-"));
  private readonly token = randomUUID();
  private readonly processes: ChildProcess[] = [];
  private agent: Agent | undefined;

  private constructor(
    private readonly port: number,
    private readonly etcdPort: number,
  ) {}

  static async start(): Promise<ApiServer> {
    const [etcdPort, peerPort, port] = await freePorts(3);
    const server = new ApiServer(port!, etcdPort!);
    await server.startBoth(etcdPort!, peerPort!);
    return server;
  }

  private async startBoth(etcdPort: number, peerPort: number): Promise<void> {
    const script = fileURLToPath(new URL("../../../scripts/kube-binaries.mjs", import.meta.url));
    const paths = execFileSync(process.execPath, [script], { encoding: "utf8" }).trim().split(/\s+/);
    const binary = (name: string) => paths.find((path) => path.endsWith(name))!;
    const { publicKey, privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    this.write("accounts.pub", publicKey);
    this.write("accounts.key", privateKey);
    this.write("tokens.csv", `${this.token},admin,1,"system:masters"\n`);
    const [clients, peers] = [etcdPort, peerPort].map((one) => `http://127.0.0.1:${one}`);
    this.run(binary("etcd"), [
      `--data-dir=${join(this.folder, "etcd")}`,
      "--unsafe-no-fsync",
      "--log-level=error",
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
    ]);
    this.run(binary("kube-apiserver"), [
      `--etcd-servers=${clients}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${this.port}`,
      "--advertise-address=192.0.2.1",
      `--cert-dir=${join(this.folder, "certificates")}`,
      `--token-auth-file=${join(this.folder, "tokens.csv")}`,
      `--service-account-key-file=${join(this.folder, "accounts.pub")}`,
      `--service-account-signing-key-file=${join(this.folder, "accounts.key")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      "--authorization-mode=RBAC",
      "--disable-admission-plugins=ServiceAccount",
      "--service-cluster-ip-range=10.96.0.0/16",
    ]);
    for (let tries = 0; tries < 1200; tries++) {
      if (await this.send("GET", "/readyz").catch(() => false)) return;
      await sleep(100);
    }
    throw new Error("the API server did not start");
  }

  /** The path of a kubeconfig for whoever may do anything. */
  get kubeconfig(): string {
    const path = join(this.folder, "kubeconfig");
    const cluster = {
      server: `https://127.0.0.1:${this.port}`,
      "certificate-authority": this.certificate,
    };
    this.write(
      "kubeconfig",
      JSON.stringify({
        clusters: [{ name: "bench", cluster }],
        users: [{ name: "admin", user: { token: this.token } }],
        contexts: [{ name: "bench", context: { cluster: "bench", user: "admin" } }],
        "current-context": "bench",
      }),
    );
    return path;
  }

  /** Rejects where the API server refuses. */
  async send(method: string, path: string, body?: string | object): Promise<string> {
    const response = await this.open(method, path, body);
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
    if (response.statusCode! >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text;
  }

  /** Objects straight into etcd, by key: requests for 100,000 pods take an hour on two cores. */
  async store(objects: readonly (readonly [key: string, object: object])[]): Promise<void> {
    const encoded = (text: string) => Buffer.from(text).toString("base64");
    for (let done = 0; done < objects.length; done += puts) {
      const success = objects.slice(done, done + puts).map(([key, object]) => ({
        requestPut: { key: encoded(key), value: encoded(JSON.stringify(object)) },
      }));
      const answer = await fetch(`http://127.0.0.1:${this.etcdPort}/v3/kv/txn`, {
        method: "POST",
        body: JSON.stringify({ success }),
      });
      if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`);
    }
  }

  /** The answer as it comes. Text is YAML; objects go as JSON, or as a merge patch. */
  open(method: string, path: string, body?: string | object): Promise<IncomingMessage> {
    const patch = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const type = typeof body === "string" ? "application/yaml" : patch;
    const headers = { authorization: `Bearer ${this.token}`, "content-type": type };
    this.agent ??= existsSync(this.certificate)
      ? new Agent({ keepAlive: true, ca: readFileSync(this.certificate) })
      : undefined;
    return new Promise((resolve, reject) => {
      if (this.agent === undefined) return reject(new Error("there is no certificate yet"));
      const options = { host: "127.0.0.1", port: this.port, method, path, headers, agent: this.agent };
      const sent = request(options, resolve).on("error", reject);
      sent.end(typeof body === "object" ? JSON.stringify(body) : body);
    });
  }

  async stop(): Promise<void> {
    this.agent?.destroy();
    for (const child of this.processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get certificate(): string {
    return join(this.folder, "certificates", "apiserver.crt");
  }

  private write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text, { mode: 0o600 });
  }

  private run(path: string, args: readonly string[]): void {
    const child = spawn(path, args, { stdio: "ignore", cwd: this.folder });
    process.once("exit", () => child.kill("SIGKILL"));
    this.processes.push(child);
  }
}

/** How many etcd takes in a transaction. */
const puts = 100;

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  for (const server of servers) await once(server.close(), "close");
  return ports;
}
