import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const cgroups = "/sys/fs/cgroup";

/** A group of its own for a node, in each hierarchy that there is. */
export function makeCgroup(name: string): void {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, name);
    mkdirSync(group, { recursive: true });
    for (const file of ["cpuset.cpus", "cpuset.mems"])
      if (existsSync(join(hierarchy, file)) && hierarchy !== cgroups)
        writeFileSync(join(group, file), readFileSync(join(hierarchy, file)));
  }
}

/** Processes that were killed leave a group a little later. */
export async function removeCgroup(name: string): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      for (const hierarchy of hierarchies()) removeGroup(join(hierarchy, name));
      return;
    } catch (cause) {
      if (tries === 100) throw cause;
      await sleep(100);
    }
}

/** One in version 2, one a controller in version 1. */
function hierarchies(): readonly string[] {
  if (existsSync(join(cgroups, "cgroup.controllers"))) return [cgroups];
  return readdirSync(cgroups)
    .map((name) => join(cgroups, name))
    .filter((path) => existsSync(join(path, "cgroup.procs")));
}

/** Groups cannot be removed before those in them. */
function removeGroup(path: string): void {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(path, entry.name));
  rmdirSync(path);
}
