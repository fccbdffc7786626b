import { execFile, spawnSync } from "node:child_process";

/** Why tests that want the real kubectl are skipped here. */
export const noKubectl: string | undefined =
  spawnSync("kubectl", ["version", "--client"]).status === 0 ? undefined : "no kubectl in PATH";

export interface KubectlRan {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What it printed behind `Warning: `, a line each. */
  readonly warnings: readonly string[];
}

/** Runs kubectl without blocking this process, which can be the server that kubectl connects to. */
export async function kubectl(
  kubeconfig: string,
  args: readonly string[],
  input?: string,
): Promise<KubectlRan> {
  return new Promise((resolve) => {
    const child = execFile(
      "kubectl",
      ["--kubeconfig", kubeconfig, "--cache-dir", `${kubeconfig}.cache`, ...args],
      { encoding: "utf8" },
      (error, stdout, stderr) => {
        const lines = stderr.split("\n").filter((line) => line.startsWith("Warning: "));
        const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ status, stdout, stderr, warnings: lines.map((line) => line.slice("Warning: ".length)) });
      },
    );
    child.stdin!.end(input ?? "");
  });
}
