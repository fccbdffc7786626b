import { execFile } from "node:child_process";
import { join } from "node:path";
import { findHelm } from "../../scripts/kube-binaries.mjs";
import { repository } from "../install/build-stage.js";
import type { WholeCluster } from "./whole-cluster.js";

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** A user with a terminal, in the folder of this repository. */
export class Administrator {
  constructor(private readonly cluster: WholeCluster) {}

  /** Fails if the command does. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const ran = await this.run("kubectl", args);
    if (ran.status !== 0) throw new Error(`kubectl ${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
    return ran.stdout;
  }

  async apply(manifest: string): Promise<Ran> {
    return this.run("kubectl", ["apply", "-f", "-"], manifest);
  }

  async get<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.kubectl("get", ...args, "-o", "json")) as T;
  }

  async tierwall(...args: readonly string[]): Promise<Ran> {
    return this.run(process.execPath, [join(repository, "packages/cli/bin/tierwall.js"), ...args]);
  }

  async helm(...args: readonly string[]): Promise<string> {
    const ran = await this.run(findHelm()!, args);
    if (ran.status !== 0) throw new Error(`helm ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout;
  }

  async curl(...args: readonly string[]): Promise<string> {
    return (await this.run("curl", ["-s", "-m", "5", ...args])).stdout;
  }

  /** Whether a pod gets through to each of these, by real TCP connections. */
  async reaches(pod: string, targets: readonly Target[]): Promise<readonly boolean[]> {
    const [namespace, name] = pod.split("/") as [string, string];
    const command = ["node", "-e", connectToAll, JSON.stringify(targets)];
    return JSON.parse(await this.kubectl("-n", namespace, "exec", name, "--", ...command)) as boolean[];
  }

  async run(command: string, args: readonly string[], input = ""): Promise<Ran> {
    const [program, ...rest] = [...this.cluster.asAdministrator, command, ...args];
    return new Promise((resolve) => {
      const options = { cwd: repository, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
      const child = execFile(program!, rest, options, (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ status, stdout, stderr });
      });
      child.stdin!.end(input);
    });
  }
}

/** Runs in the pod: two seconds are long on one machine. */
const connectToAll = `
const { connect } = require("node:net");
const reach = ({ host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 2000 });
  const end = (answer) => { socket.destroy(); resolve(answer); };
  socket.on("data", () => end(true)).on("error", () => end(false)).on("timeout", () => end(false));
});
Promise.all(JSON.parse(process.argv[1]).map(reach)).then((all) => console.log(JSON.stringify(all)));
`;
