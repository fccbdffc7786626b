import { join } from "node:path";
import { findPrograms } from "../../scripts/kube-binaries.mjs";
import type { Credentials, User } from "./credentials.js";
import { Daemon } from "./daemon.js";
import type { MachineNetwork } from "./network.js";
import { proxyConfiguration } from "./node-machine.js";
import { writeFileSync } from "node:fs";
import { addressesOf, apiServer, clusterRanges, serviceRanges } from "./subnets.js";

/** etcd, the API server, the controllers of Kubernetes and its scheduler, in the network of one machine. */
export class ControlPlane {
  readonly #daemons: Daemon[] = [];

  constructor(
    private readonly folder: string,
    private readonly network: MachineNetwork,
    private readonly credentials: Credentials,
  ) {}

  async start(): Promise<void> {
    this.run("etcd", [`--data-dir=${join(this.folder, "etcd")}`, "--unsafe-no-fsync", "--log-level=error"]);
    const server = this.run("kube-apiserver", this.apiServerOptions());
    await server.until(() => this.isReady());
    this.run("kube-controller-manager", [
      ...this.asClient("kube-controller-manager"),
      "--use-service-account-credentials=true",
      `--service-account-private-key-file=${this.credentials.accountKey}`,
      `--root-ca-file=${this.credentials.certificate}`,
      // Nodes say themselves where their pods have addresses from.
      "--allocate-node-cidrs=false",
      `--cluster-cidr=${clusterRanges}`,
    ]);
    this.run("kube-scheduler", this.asClient("kube-scheduler"));
    // The API server asks webhooks by the addresses of their Services.
    const settings = join(this.folder, "kube-proxy.yaml");
    const kubeconfig = this.credentials.kubeconfigOf("kube-proxy");
    writeFileSync(settings, JSON.stringify(proxyConfiguration("control-plane", kubeconfig)));
    this.run("kube-proxy", [`--config=${settings}`]);
  }

  async stop(): Promise<void> {
    for (const daemon of this.#daemons.toReversed()) await daemon.end();
  }

  private apiServerOptions(): readonly string[] {
    const { certificate, key, tokens, accountKey, accountPublicKey } = this.credentials;
    const [address] = addressesOf("control-plane");
    return [
      "--etcd-servers=http://127.0.0.1:2379",
      `--bind-address=${address}`,
      `--advertise-address=${address}`,
      `--tls-cert-file=${certificate}`,
      `--tls-private-key-file=${key}`,
      `--token-auth-file=${tokens}`,
      `--service-account-key-file=${accountPublicKey}`,
      `--service-account-signing-key-file=${accountKey}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-cluster-ip-range=${serviceRanges}`,
      "--authorization-mode=Node,RBAC",
      "--enable-admission-plugins=NodeRestriction",
      "--allow-privileged=true",
      "--kubelet-preferred-address-types=InternalIP",
    ];
  }

  private asClient(user: User): readonly string[] {
    const kubeconfig = this.credentials.kubeconfigOf(user);
    return [
      ...["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map(
        (option) => `--${option}=${kubeconfig}`,
      ),
      "--bind-address=127.0.0.1",
      "--leader-elect=false",
    ];
  }

  private run(name: string, args: readonly string[]): Daemon {
    const [program] = findPrograms([name])!;
    const command = [...this.network.within("control-plane"), program!, ...args];
    const daemon = new Daemon(name, join(this.folder, `${name}.log`), command);
    this.#daemons.push(daemon);
    return daemon;
  }

  private isReady(): boolean {
    try {
      return this.network.run("control-plane", "curl", "-sk", `${apiServer}/readyz`) === "ok";
    } catch {
      return false;
    }
  }
}
