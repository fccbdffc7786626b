import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { lstatSync, mkdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { messageOf } from "@tierwall/kube";
import { findProgram, searchPath } from "./command.js";
import { done, failed, type Outcome } from "./outcome.js";

/** A lock that is released when its process ends, in whatever way. */
export interface Lock {
  /** False after the process that holds the lock for the agent ended, until the lock is taken again. */
  readonly isHeld: boolean;
  release(): Promise<void>;
}

/** Called when the lock is lost, and when it is held again. */
export type OnLockChange = (change: "lost" | "held again") => void;

/** Not in /run, which is cleaned when a service ends: a lock on a deleted file protects nothing. */
const defaultFolder = "/var/lib/tierwall/locks";

/**
 * One agent per network namespace. The kernel locks a file in a folder that belongs to root, so that a pod can take the lock only
 * with rights that also let it change rules directly. The lock is released when the process ends; the file stays and has no
 * meaning. Its name contains the network namespace. Node.js cannot lock files, so `flock` does, and runs for as long as the agent
 * has a pipe to it.
 *
 * A program that the agent is just starting also has the pipe, until it calls exec: so taking the lock is retried for a while.
 */
export async function takeLock(
  name: string,
  folder = defaultFolder,
  onChange: OnLockChange = () => {},
): Promise<Outcome<Lock>> {
  const file = lockFile(name, folder);
  if (!file.ok) return file;
  const attempt = () => tryLock(file.value, name);
  for (const start = performance.now(); ; await setTimeout(retryEvery)) {
    const taken = await attempt();
    if (taken !== undefined) return taken.ok ? done(new HeldLock(taken.value, attempt, onChange)) : taken;
    if (performance.now() - start > retryFor)
      return failed(
        `another agent manages the table \`${name}\` of this network namespace: stop it first, either the service \`tierwall-agent\` or the pod of its DaemonSet on this node; its rules stay in the kernel`,
      );
  }
}

const retryFor = 1000;
const retryEvery = 20;

function lockFile(name: string, folder: string): Outcome<string> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    if (!lstatSync(folder).isDirectory() || uid !== process.getuid?.() || (mode & 0o022) !== 0)
      return failed(
        `other users can change the folder of locks \`${folder}\`: its owner must be root, and its mode 0700`,
      );
    const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
    // `net:[4026531840]`
    const [namespace] = /\d+/.exec(readlinkSync("/proc/self/ns/net")) ?? [""];
    return done(join(folder, `${namespace}-${digest}`));
  } catch (error) {
    return failed(`cannot take the lock for the table \`${name}\`: ${messageOf(error)}`);
  }
}

const held = 75;

/** The process that holds the lock for the agent; undefined if another process has it. */
async function tryLock(file: string, name: string): Promise<Outcome<ChildProcess> | undefined> {
  const flock = findProgram("flock", searchPath());
  if (flock === undefined)
    return failed(`cannot take the lock for the table \`${name}\`: install \`flock\` (of util-linux)`);
  const args = ["--nonblock", "--conflict-exit-code", String(held), "--no-fork", file, "cat"];
  // In a separate session: Ctrl-C must stop only the agent, which needs the lock until it has finished.
  const child = spawn(flock, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
  const stderr: Buffer[] = [];
  child.stderr.on("data", (text: Buffer) => stderr.push(text));
  child.stdin.on("error", () => {});
  child.stdin.write("held\n");
  const answer = await Promise.race([
    once(child.stdout, "data").then(() => "taken" as const),
    once(child, "close").then(([status]) => status as number | null),
  ]).catch((error: unknown) => messageOf(error));
  if (answer === "taken") return done(child);
  if (answer === held) return undefined;
  const problem = typeof answer === "string" ? answer : Buffer.concat(stderr).toString().trim();
  return failed(`cannot take the lock for the table \`${name}\`: ${problem || `flock ended with ${answer}`}`);
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
    if (this.#child !== undefined) await releaseBy(this.#child);
  }

  #hold(child: ChildProcess): void {
    this.#child = child;
    // The agent can end without waiting for it.
    for (const one of [child, child.stdin, child.stdout, child.stderr])
      if (one !== null && "unref" in one && typeof one.unref === "function") one.unref();
    child.once("exit", () => {
      this.#child = undefined;
      if (this.#isReleased) return;
      this.onChange("lost");
      void this.#takeAgain();
    });
  }

  /** The process that holds the lock was killed. */
  async #takeAgain(): Promise<void> {
    while (!this.#isReleased) {
      // If no process can be started, the next attempt may succeed.
      const taken = await this.again().catch(() => undefined);
      if (taken?.ok === true) {
        if (this.#isReleased) return releaseBy(taken.value);
        this.#hold(taken.value);
        this.onChange("held again");
        return;
      }
      await setTimeout(retryFor, undefined, { ref: false });
    }
  }
}

/** Ends the process that holds the lock. */
async function releaseBy(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = once(child, "exit");
  child.stdin?.end();
  await ended;
}
