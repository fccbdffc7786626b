import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lockHolder } from "../../testing/lock-holder.js";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import { takeLock } from "./lock.js";

const name = `test-${process.pid}`;

const waiting = { timeout: 60_000, interval: 20 };
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tierwall-locks-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("is held by one, and free after that", async () => {
  const first = await takeLock(name, folder);
  expect(await takeLock(name, folder)).toEqual({
    ok: false,
    message: `another agent manages the table \`${name}\` of this network namespace: stop it first, either the service \`tierwall-agent\` or the pod of its DaemonSet on this node; its rules stay in the kernel`,
  });
  if (first.ok) await first.value.release();
  const again = await takeLock(name, folder);
  expect(again.ok).toBe(true);
  if (again.ok) await again.value.release();
});

test("of another table is another one", async () => {
  const locks = [await takeLock(name, folder), await takeLock(`${name}-b`, folder)];
  expect(locks.map(({ ok }) => ok)).toEqual([true, true]);
  for (const lock of locks) if (lock.ok) await lock.value.release();
});

const module = fileURLToPath(new URL("../../dist/kernel/lock.js", import.meta.url));

/** A process that holds the lock, and does something then. */
async function holder(then = "", enter: readonly string[] = []) {
  const script = `import(${JSON.stringify(module)}).then(async ({ takeLock }) => {
    const { ok } = await takeLock(${JSON.stringify(name)}, ${JSON.stringify(folder)});
    console.log(ok ? "held" : "refused");
    setInterval(() => {}, 1000);
    ${then}
  })`;
  const [program, ...args] = [...enter, process.execPath, "-e", script];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, said: said.toString().trim() };
}

test("is waited for a little: a process that has it may be about to end", async () => {
  await holder("setTimeout(() => process.exit(), 100)");
  const lock = await takeLock(name, folder);
  expect(lock.ok).toBe(true);
  if (lock.ok) await lock.value.release();
});

test("ends with a process that is killed", async () => {
  const { child } = await holder();
  expect((await takeLock(name, folder)).ok).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  const lock = await takeLock(name, folder);
  expect(lock.ok).toBe(true);
  if (lock.ok) await lock.value.release();
});

test("is lost with the process that holds it for us, and taken again once that is possible", async () => {
  const changes: string[] = [];
  const taken = await takeLock(name, folder, (change) => changes.push(change));
  const lock = taken.ok ? taken.value : undefined;
  expect(lock?.isHeld).toBe(true);
  rmSync(folder, { recursive: true });
  process.kill(lockHolder());
  await vi.waitFor(() => expect(changes).toEqual(["lost"]), waiting);
  expect(lock?.isHeld).toBe(false);
  mkdirSync(folder);
  await vi.waitFor(() => expect(changes).toEqual(["lost", "held again"]), waiting);
  expect(lock?.isHeld).toBe(true);
  expect((await takeLock(name, folder)).ok).toBe(false);
  await lock?.release();
  expect(changes).toEqual(["lost", "held again"]);
});

test("that is released while it is lost is not taken again", async () => {
  const taken = await takeLock(name, folder);
  rmSync(folder, { recursive: true });
  process.kill(lockHolder());
  await vi.waitFor(() => expect(taken.ok && taken.value.isHeld).toBe(false), waiting);
  if (taken.ok) await taken.value.release();
  mkdirSync(folder);
  const other = await takeLock(name, folder);
  expect(other.ok).toBe(true);
  if (other.ok) await other.value.release();
});

test("cannot be taken by a process without rights, neither by a socket's name nor by the file", async () => {
  const script = `
    const fail = () => console.log("nothing held");
    require("net").createServer().listen({ path: "\\0tierwall/${name}" }, () => {
      require("child_process").execFile("flock", ["-n", ${JSON.stringify(folder)} + "/x", "cat"], fail);
    });`;
  const stranger = spawn("setpriv", ["--reuid", "65534", "--clear-groups", process.execPath, "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(stranger.stdout, "data");
  const lock = await takeLock(name, folder);
  expect(lock.ok).toBe(true);
  if (lock.ok) await lock.value.release();
  stranger.kill();
});

test("is refused where others may replace its file", async () => {
  chmodSync(folder, 0o777);
  const lock = await takeLock(name, folder);
  expect(lock.ok ? "" : lock.message).toContain("other users can change the folder of locks");
});

test.skipIf(whyNoNamespaces() !== undefined)("belongs to a network namespace", async () => {
  const node = new NetworkNamespace("lock");
  try {
    const lock = await takeLock(name, folder);
    const { child, said } = await holder("", ["ip", "netns", "exec", node.name]);
    expect([lock.ok, said]).toEqual([true, "held"]);
    child.kill();
    if (lock.ok) await lock.value.release();
  } finally {
    node.remove();
  }
});
