import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { takeLock } from "./lock.js";

const name = `test-${process.pid}`;

test("is held by one, and free after that", async () => {
  const first = await takeLock(name);
  expect(await takeLock(name)).toEqual({
    ok: false,
    message: `another agent keeps the table \`${name}\` of this network namespace, and its rules stay when it ends: stop it first, as the service \`tierwall-agent\` or as the pod of its DaemonSet on this node`,
  });
  if (first.ok) await first.value.release();
  const again = await takeLock(name);
  expect(again.ok).toBe(true);
  if (again.ok) await again.value.release();
});

/** A process that holds the lock, and does something then. */
async function holder(then = "") {
  const script = `require("net").createServer().listen({ path: "\\0tierwall/${name}" }, () => { console.log("held"); ${then} })`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

test("is waited for a little: who has it may just be about to end", async () => {
  await holder("setTimeout(() => process.exit(), 100)");
  const lock = await takeLock(name);
  expect(lock.ok).toBe(true);
  if (lock.ok) await lock.value.release();
});

test("ends with a process that is killed", async () => {
  const child = await holder();
  expect((await takeLock(name)).ok).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  const lock = await takeLock(name);
  expect(lock.ok).toBe(true);
  if (lock.ok) await lock.value.release();
});
