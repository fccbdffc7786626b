import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { lstatSync, mkdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { messageOf } from "@tierwall/kube";
import { findProgram, searchPath } from "./parent-death.js";
import { done, failed, type Outcome } from "./outcome.js";

/** A lock that ends with the process that holds it, however that ends. */
export interface Lock {
  /** False while what holds the lock for us is gone, and it was not taken again. */
  readonly isHeld: boolean;
  release(): Promise<void>;
}

/** Hears that the lock was lost, and that it is held again. */
export type OnLockChange = (change: "lost" | "held again") => void;

/** Not among what is removed when a service ends, as a folder in /run would be: a lock on a file that is gone protects nothing. */
const defaultFolder = "/var/lib/tierwall/locks";

/**
 * One agent per network namespace. The kernel locks a file in a folder of root's, so that no pod can take the lock without the
 * rights to change rules directly, and frees it when the process is gone; the file stays, and means nothing. Its name says which
 * network namespace it is for. Node.js cannot lock files, so `flock` does, and stays for as long as we hold a pipe to it.
 *
 * A program that our process was just starting holds the pipe as well, until it is itself: so a lock that is taken is asked
 * for repeatedly for a while.
 */
export async function takeLock(
  name: string,
  folder = defaultFolder,
  onChange: OnLockChange = () => {},
): Promise<Outcome<Lock>> {
  const file = lockFile(name, folder);
  if (!file.ok) return file;
  const attempt = () => tryLock(file.value, name);
  for (const start = performance.now(); ; await setTimeout(between)) {
    const taken = await attempt();
    if (taken !== undefined) return taken.ok ? done(new HeldLock(taken.value, attempt, onChange)) : taken;
    if (performance.now() - start > patience)
      return failed(
        `another agent keeps the table \`${name}\` of this network namespace, and its rules stay when it ends: stop it first, as the service \`tierwall-agent\` or as the pod of its DaemonSet on this node`,
      );
  }
}

const patience = 1000;
const between = 20;

function lockFile(name: string, folder: string): Outcome<string> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    if (!lstatSync(folder).isDirectory() || uid !== process.getuid?.() || (mode & 0o022) !== 0)
      return failed(
        `the folder of locks \`${folder}\` may be changed by others than its owner: make it root's, with mode 0700`,
      );
    const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
    // `net:[4026531840]`
    const [namespace] = /\d+/.exec(readlinkSync("/proc/self/ns/net")) ?? [""];
    return done(join(folder, `${namespace}-${digest}`));
  } catch (error) {
    return failed(`the lock for the table \`${name}\` cannot be taken: ${messageOf(error)}`);
  }
}

const held = 75;

/** The process that holds it for us; undefined where another one has it. */
async function tryLock(file: string, name: string): Promise<Outcome<ChildProcess> | undefined> {
  const flock = findProgram("flock", searchPath());
  if (flock === undefined)
    return failed(`the lock for the table \`${name}\` cannot be taken: install \`flock\` (of util-linux)`);
  const args = ["--nonblock", "--conflict-exit-code", String(held), "--no-fork", file, "cat"];
  // In a session of its own: a Ctrl-C is for the agent, which needs the lock until it is through.
  const child = spawn(flock, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
  const complaint: Buffer[] = [];
  child.stderr.on("data", (text: Buffer) => complaint.push(text));
  child.stdin.on("error", () => {});
  child.stdin.write("held\n");
  const answer = await Promise.race([
    once(child.stdout, "data").then(() => "taken" as const),
    once(child, "close").then(([status]) => status as number | null),
  ]).catch((error: unknown) => messageOf(error));
  if (answer === "taken") return done(child);
  if (answer === held) return undefined;
  const said = typeof answer === "string" ? answer : Buffer.concat(complaint).toString().trim();
  return failed(
    `the lock for the table \`${name}\` cannot be taken: ${said || `flock ended with ${answer}`}`,
  );
}

class HeldLock implements Lock {
  #child: ChildProcess | undefined;
  #isReleased = false;

  constructor(
    child: ChildProcess,
    private readonly again: () => Promise<Outcome<ChildProcess> | undefined>,
    private readonly onChange: OnLockChange,
  ) {
    this.#hold(child);
  }

  get isHeld(): boolean {
    return this.#child !== undefined;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    if (this.#child !== undefined) await letGo(this.#child);
  }

  #hold(child: ChildProcess): void {
    this.#child = child;
    // The agent ends without waiting for it.
    for (const one of [child, child.stdin, child.stdout, child.stderr])
      if (one !== null && "unref" in one && typeof one.unref === "function") one.unref();
    child.once("exit", () => {
      this.#child = undefined;
      if (this.#isReleased) return;
      this.onChange("lost");
      void this.#takeAgain();
    });
  }

  /** What holds the lock for us was killed. */
  async #takeAgain(): Promise<void> {
    while (!this.#isReleased) {
      // Where no process can be started, the next attempt may succeed.
      const taken = await this.again().catch(() => undefined);
      if (taken?.ok === true) {
        if (this.#isReleased) return letGo(taken.value);
        this.#hold(taken.value);
        this.onChange("held again");
        return;
      }
      await setTimeout(patience, undefined, { ref: false });
    }
  }
}

async function letGo(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = once(child, "exit");
  child.stdin?.end();
  await ended;
}
