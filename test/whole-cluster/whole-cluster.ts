import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPrograms } from "../../scripts/kube-binaries.mjs";
import { makeCgroup, removeCgroup } from "./cgroup.js";
import { ControlPlane } from "./control-plane.js";
import { Credentials } from "./credentials.js";
import { Daemon } from "./daemon.js";
import { writeClusterImages } from "./images.js";
import { MachineNetwork } from "./network.js";
import { nodeCommand } from "./node-machine.js";
import { nodes, podRangesOf } from "./subnets.js";

/** Settings of the whole machine that kubelets change. */
const settings = ["kernel/panic", "kernel/panic_on_oops", "vm/overcommit_memory"].map(
  (name) => `/proc/sys/${name}`,
);

/** A control plane and two nodes. Everything of theirs is in one folder, and gone after `stop`. */
export class WholeCluster {
  private readonly folder = mkdtempSync(join(tmpdir(), "tierwall-whole-"));
  private readonly before = settings.map((file) => [file, readFileSync(file, "utf8")] as const);
  readonly network = MachineNetwork.make();
  private readonly credentials = new Credentials(this.folder);
  private readonly controlPlane = new ControlPlane(this.folder, this.network, this.credentials);
  private readonly machines: Daemon[] = [];

  static async start(): Promise<WholeCluster> {
    const made = new WholeCluster();
    try {
      const images = join(made.folder, "images.tar");
      writeClusterImages(images);
      await made.controlPlane.start();
      made.register();
      for (const node of nodes) made.startNode(node, images);
      await Promise.all(
        made.machines.map((machine) => machine.until(() => machine.lastWords.includes("started"))),
      );
      rmSync(images);
    } catch (cause) {
      await made.stop();
      throw cause;
    }
    return made;
  }

  get kubeconfig(): string {
    return this.credentials.kubeconfigOf("admin");
  }

  /** The start of a command line for an administrator, who is where the control plane is. */
  get asAdministrator(): readonly string[] {
    return [...this.network.within("control-plane"), "env", `KUBECONFIG=${this.kubeconfig}`];
  }

  /** `kubectl port-forward` to something in the namespace of Tierwall, until it is ended. */
  forward(to: string, ports: string): Daemon {
    const command = ["kubectl", "-n", "tierwall-system", "port-forward", to, ports];
    const daemon = new Daemon("port-forward", join(this.folder, "port-forward.log"), [
      ...this.asAdministrator,
      ...command,
    ]);
    this.machines.push(daemon);
    return daemon;
  }

  async stop(): Promise<void> {
    for (const machine of this.machines) await machine.end();
    await this.controlPlane.stop();
    for (const [file, text] of this.before) writeFileSync(file, text);
    this.network.remove();
    for (const node of nodes) await removeCgroup(this.cgroupOf(node));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Nodes are created before their kubelets start, as only the creator of a Node can set its pod ranges. */
  private register(): void {
    const items = nodes.map((name) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name },
      spec: { podCIDR: podRangesOf(name)[0], podCIDRs: podRangesOf(name) },
    }));
    const binding = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "kube-proxy" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:node-proxier" },
      subjects: [{ kind: "User", name: "system:kube-proxy", apiGroup: "rbac.authorization.k8s.io" }],
    };
    const [program, ...args] = [...this.asAdministrator, "kubectl", "apply", "-f", "-"];
    const list = { apiVersion: "v1", kind: "List", items: [...items, binding] };
    execFileSync(program, args, { input: JSON.stringify(list), stdio: ["pipe", "ignore", "pipe"] });
  }

  private startNode(name: (typeof nodes)[number], images: string): void {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    makeCgroup(this.cgroupOf(name));
    const [kubelet, kubeProxy] = findPrograms(["kubelet", "kube-proxy"])!;
    const command = nodeCommand({
      name,
      folder,
      images,
      kubelet: kubelet!,
      kubeProxy: kubeProxy!,
      kubeconfig: this.credentials.kubeconfigOf(name),
      proxyKubeconfig: this.credentials.kubeconfigOf("kube-proxy"),
      cgroup: this.cgroupOf(name),
    });
    const log = join(folder, "node.log");
    this.machines.push(new Daemon(name, log, [...this.network.within(name), ...command]));
  }

  private cgroupOf(name: (typeof nodes)[number]): string {
    return `tierwall-whole-${process.pid}-${name}`;
  }
}
