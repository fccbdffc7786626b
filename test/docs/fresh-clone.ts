import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A clone of this repository as it is now, with the dependencies that `npm run build` would install, and nothing built. */
export class FreshClone {
  readonly #temporary = mkdtempSync(join(tmpdir(), "tierwall-clone-"));
  readonly folder = join(this.#temporary, "tierwall");

  constructor(private readonly env: Readonly<Record<string, string>>) {
    git(root, "clone", "--quiet", "--no-hardlinks", "--depth=1", `file://${root}`, this.folder);
    const changed = git(root, "ls-files", "--modified", "--others", "--deleted", "--exclude-standard", "-z");
    for (const file of new Set(changed.split("\0").filter((name) => name !== ""))) {
      const [from, to] = [join(root, file), join(this.folder, file)];
      if (existsSync(from)) cpSync(from, to);
      else rmSync(to, { force: true });
    }
    // Links between packages are relative, so that they lead to the packages of the clone.
    const isOneDevice = statSync(root).dev === statSync(this.#temporary).dev;
    execFileSync("cp", [
      isOneDevice ? "-al" : "-a",
      join(root, "node_modules"),
      join(this.folder, "node_modules"),
    ]);
  }

  /** Runs a line in the shell of the reader, who stays in the folder that the line changes to. */
  run(line: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
    const { status, stdout, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", this.#script(line)], {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      env: this.#environment(),
    });
    return { status, stdout, stderr };
  }

  /** Starts a line that runs until it is stopped, in a process group: npm and npx start other processes. */
  start(line: string) {
    const child = spawn("bash", ["-c", this.#script(line)], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: this.#environment(),
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    return {
      output: () => output,
      hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      stop: async () => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGINT");
        await ended;
      },
    };
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  remove(): void {
    rmSync(this.#temporary, { recursive: true, force: true });
  }

  #script(line: string): string {
    const place = join(this.#temporary, "current-folder");
    return `cd "$(cat ${place} 2>/dev/null || echo ${this.folder})"\n${line}\nstatus=$?\npwd > ${place}\nexit $status\n`;
  }

  #environment(): NodeJS.ProcessEnv {
    // What vitest and the npm that started it set would reach the npm of the reader.
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|VITEST|NODE_ENV|GITHUB_)/i.test(name),
    );
    return { ...Object.fromEntries(kept), npm_config_offline: "true", NO_COLOR: "1", ...this.env };
  }
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 2 ** 28 });
}
