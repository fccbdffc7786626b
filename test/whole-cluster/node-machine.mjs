// A node of the whole cluster: the first process of its own process, mount, network and host-name namespaces, so that all
// it starts ends with it, and nothing that it mounts is seen elsewhere. Its argument is a JSON file, see node-machine.ts.

import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const { name, folder, images, containerd, kubelet, kubeProxy } = JSON.parse(
  readFileSync(process.argv[2], "utf8"),
);

execFileSync("hostname", [name]);
execFileSync("mount", ["--make-rshared", "/"]);
execFileSync("mount", ["-t", "tmpfs", "tmpfs", "/run"]);
mkdirSync("/run/netns");
// The disk of the node: it goes with its mount namespace, and there is much on it.
const disk = join(folder, "disk");
mkdirSync(disk);
execFileSync("mount", ["-t", "tmpfs", "tmpfs", disk]);
for (const part of ["upper", "work", "containerd", "kubelet"]) mkdirSync(join(disk, part));
// What the node writes to /var is its own, and what it needs from there it sees.
const options = `lowerdir=/var,upperdir=${join(disk, "upper")},workdir=${join(disk, "work")}`;
execFileSync("mount", ["-t", "overlay", "overlay", "-o", options, "/var"]);
// Where this machine has an agent of its own.
rmSync("/var/lib/tierwall", { recursive: true, force: true });

start("containerd", containerd);
const ctr = ["-a", "/run/containerd/containerd.sock", "-n", "k8s.io"];
for (let tries = 0; !answers(); tries++) {
  if (tries === 150) throw new Error("containerd does not answer");
  await sleep(200);
}
execFileSync("ctr", [...ctr, "images", "import", images], { stdio: "ignore" });
start("kubelet", kubelet);
start("kube-proxy", kubeProxy);
console.log("started");
process.on("SIGTERM", () => process.exit());

function answers() {
  try {
    execFileSync("ctr", [...ctr, "version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function start(what, [program, ...args]) {
  const log = openSync(join(folder, `${what}.log`), "a");
  const child = spawn(program, args, { stdio: ["ignore", log, log] });
  closeSync(log);
  child.on("exit", (status) => {
    console.log(`${what} ended: ${status}`);
    process.exit(1);
  });
}
