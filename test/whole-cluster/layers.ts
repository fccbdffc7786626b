import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../install/build-stage.js";

/** Folders that lie on each other, the lowest first, as the layers of an image do. */
export type Layers = readonly string[];

/** What takes minutes, and comes out the same each time, is kept. */
const cache = join(repository, ".cache", "whole-cluster");

/** A Debian with the Node that runs this: what there is of `node:22-bookworm-slim` without a registry to pull from. */
export function debianWithNode(suite: string): string {
  return kept(`debian ${suite} ${process.version}`, (folder) => {
    run("debootstrap", ["--variant=minbase", "--include=ca-certificates", suite, folder]);
    for (const waste of ["var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale"])
      rmSync(join(folder, waste), { recursive: true, force: true });
    for (const needed of ["var/cache/apt/archives/partial", "var/lib/apt/lists/partial"])
      mkdirSync(join(folder, needed), { recursive: true });
    // The runtime of a container creates its devices.
    rmSync(join(folder, "dev"), { recursive: true });
    mkdirSync(join(folder, "dev"));
    copyFileSync(process.execPath, join(folder, "usr/local/bin/node"));
  });
}

/** What a command changes on top of layers, as a layer. Kept if all of them are. */
export function layerOfCommand(below: Layers, command: string, scratch: string): string {
  const make = (folder: string) => runOn(below, folder, command);
  if (below.every((layer) => layer.startsWith(cache))) return kept(`${below.join()} ${command}`, make);
  return made(scratch, make);
}

export function layerOfFolder(from: string, to: string, scratch: string): string {
  return made(scratch, (folder) =>
    cpSync(from, join(folder, to), { recursive: true, verbatimSymlinks: true }),
  );
}

function runOn(below: Layers, layer: string, command: string): void {
  const [work, all] = [`${layer}.work`, `${layer}.all`];
  for (const folder of [work, all]) mkdirSync(folder, { recursive: true });
  if (command.includes("apt-get")) {
    mkdirSync(join(layer, "etc"));
    copyFileSync("/etc/resolv.conf", join(layer, "etc/resolv.conf"));
  }
  const options = `lowerdir=${below.toReversed().join(":")},upperdir=${layer},workdir=${work}`;
  // In a mount namespace, so that nothing stays mounted whatever happens.
  const script = `mount -t overlay overlay -o "$1" "$2" && mount --bind /dev "$2/dev" && exec chroot "$2" sh -c "$3"`;
  run("unshare", ["--mount", "--propagation=private", "sh", "-c", script, "sh", options, all, command]);
  // Marks of what was removed mean nothing in an archive.
  run("find", [layer, "-type", "c", "-delete"]);
  for (const folder of [work, all]) rmSync(folder, { recursive: true });
}

function kept(what: string, make: (folder: string) => void): string {
  const path = join(cache, createHash("sha256").update(what).digest("hex").slice(0, 16));
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true });
    renameSync(made(cache, make), path);
  }
  return path;
}

function made(parent: string, make: (folder: string) => void): string {
  const folder = mkdtempSync(join(parent, "layer-"));
  // All users need to read the root of a container.
  execFileSync("chmod", ["755", folder]);
  try {
    make(folder);
    return folder;
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw cause;
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${stdout.slice(-1000)}${stderr.slice(-2000)}`);
}
