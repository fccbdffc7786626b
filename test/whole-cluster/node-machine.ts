import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pauseImage } from "./images.js";
import { networkPlugins } from "./needs.mjs";
import { addressesOf, clusterRanges, dnsService, type Machine, podRangesOf } from "./subnets.js";

export interface NodeOptions {
  readonly name: Machine;
  readonly folder: string;
  readonly images: string;
  readonly kubelet: string;
  readonly kubeProxy: string;
  readonly kubeconfig: string;
  readonly proxyKubeconfig: string;
  readonly cgroup: string;
}

/** The command that runs a node, within its network. */
export function nodeCommand(options: NodeOptions): readonly string[] {
  const { name, folder, images, kubelet, kubeProxy, kubeconfig, proxyKubeconfig, cgroup } = options;
  const write = (file: string, content: object | string): string => {
    const path = join(folder, file);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  mkdirSync(join(folder, "cni"), { recursive: true });
  write("cni/10-pods.conflist", podNetwork(name));
  const containerdSettings = write("containerd.toml", containerdConfiguration(folder));
  const kubeletSettings = write("kubelet.yaml", kubeletConfiguration(cgroup, addressesOf(name)[0]));
  const settings = write("node.json", {
    name,
    folder,
    images,
    containerd: ["containerd", "-c", containerdSettings],
    kubelet: [
      kubelet,
      `--config=${kubeletSettings}`,
      `--kubeconfig=${kubeconfig}`,
      `--hostname-override=${name}`,
      `--node-ip=${addressesOf(name).join()}`,
      `--root-dir=${join(folder, "disk/kubelet")}`,
    ],
    kubeProxy: [kubeProxy, `--config=${write("kube-proxy.yaml", proxyConfiguration(name, proxyKubeconfig))}`],
  });
  const machine = fileURLToPath(new URL("node-machine.mjs", import.meta.url));
  const apart = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"];
  return [...apart, "--propagation=private", process.execPath, machine, settings];
}

/** As the plugins of Debian have it: a bridge, addresses of both families, ports of the host. */
const podNetwork = (name: Machine) => ({
  cniVersion: "0.4.0",
  name: "pods",
  plugins: [
    {
      type: "bridge",
      bridge: "cni0",
      isGateway: true,
      hairpinMode: true,
      ipam: {
        type: "host-local",
        ranges: podRangesOf(name).map((subnet) => [{ subnet }]),
        routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }],
      },
    },
    { type: "portmap", capabilities: { portMappings: true } },
  ],
});

const containerdConfiguration = (folder: string): string => `version = 2
root = "${join(folder, "disk/containerd")}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# We may not be allowed to make ourselves less likely to be killed.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${networkPlugins}"
conf_dir = "${join(folder, "cni")}"
`;

const kubeletConfiguration = (cgroup: string, address: string) => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  // Only the control plane can reach it.
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  address,
  containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
  cgroupDriver: "cgroupfs",
  cgroupRoot: `/${cgroup}`,
  failCgroupV1: false,
  failSwapOn: false,
  oomScoreAdj: 0,
  clusterDNS: [dnsService],
  clusterDomain: "cluster.local",
  resolvConf: "",
  imageGCHighThresholdPercent: 100,
  evictionHard: { "memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
});

export const proxyConfiguration = (name: Machine, kubeconfig: string) => ({
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  mode: "nftables",
  hostnameOverride: name,
  clusterCIDR: clusterRanges,
  clientConnection: { kubeconfig },
  healthzBindAddress: "127.0.0.1:10256",
  metricsBindAddress: "127.0.0.1:10249",
  // These belong to the machine, and not to the namespace.
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
});
