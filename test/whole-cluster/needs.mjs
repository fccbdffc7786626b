// What a whole cluster on one machine needs, in addition to the programs of Kubernetes, which can be fetched.

import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { isExecutable } from "../../scripts/kube-binaries.mjs";

/** By the Debian package that has it. */
const commands = {
  containerd: ["containerd", "ctr"],
  runc: ["runc"],
  debootstrap: ["debootstrap"],
  iproute2: ["ip"],
  nftables: ["nft"],
  conntrack: ["conntrack"],
  "util-linux": ["nsenter", "unshare", "setpriv"],
  openssl: ["openssl"],
  curl: ["curl"],
  kubectl: ["kubectl"],
};

export const networkPlugins = "/usr/lib/cni";

/** Why there can be none here; undefined where it can. */
export function whyNoWholeCluster() {
  if (process.platform !== "linux") return "nodes are namespaces of Linux";
  if (process.getuid() !== 0)
    return "nodes have namespaces, mounts and cgroups of their own: only root may make them";
  const missing = Object.keys(commands).filter((name) => !commands[name].every(isInPath));
  if (!isExecutable(join(networkPlugins, "bridge"))) missing.push("containernetworking-plugins");
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  if (spawnSync("unshare", ["--net", "nft", "list", "ruleset"]).status !== 0)
    return "this kernel has no nftables";
  return undefined;
}

function isInPath(command) {
  return process.env.PATH.split(delimiter).some((folder) => isExecutable(join(folder, command)));
}
