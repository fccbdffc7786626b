import { spawn } from "node:child_process";

/** Runs a command to its end, and throws what it complained about if it failed. */
export function run(command: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    const output = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.err += text));
    child.on("error", reject);
    // A process that ends early does not read everything; its own error is the one to report.
    child.stdin.on("error", () => undefined);
    child.on("close", (status) => {
      if (status === 0) resolve(output.out);
      else reject(new Error(`${command} ${args.join(" ")}: ${output.err.trim() || `status ${status}`}`));
    });
    child.stdin.end(input);
  });
}

/** The same inside a network namespace. */
export function runIn(space: string, command: string, args: readonly string[], input = ""): Promise<string> {
  return run("nsenter", [`--net=/run/netns/${space}`, command, ...args], input);
}
