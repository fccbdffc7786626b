import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands in one process, which is started with the first of them and ends with the tests. */
class OneProcess {
  private readonly ready = new Int32Array(new SharedArrayBuffer(4));
  private readonly channel = new MessageChannel();
  private readonly bridge = new Worker(new URL("one-process-bridge.mjs", import.meta.url), {
    workerData: { answers: this.channel.port2, ready: this.ready },
    transferList: [this.channel.port2],
  });

  constructor() {
    this.bridge.unref();
    this.channel.port1.unref();
  }

  run(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Ran {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.bridge.postMessage({ args, cwd, env });
    Atomics.wait(this.ready, 0, 0);
    Atomics.store(this.ready, 0, 0);
    const answer = receiveMessageOnPort(this.channel.port1)!.message as Ran | { readonly ended: number };
    if ("ended" in answer) throw new Error(`tierwall ${args.join(" ")} ended its process`);
    return answer;
  }
}

let started: OneProcess | undefined;

export function runInOneProcess(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Ran {
  started ??= new OneProcess();
  return started.run(args, cwd, env);
}
