import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Instruction, stagesOf } from "./dockerfile.js";

export const repository = fileURLToPath(new URL("../../", import.meta.url));

const all = stagesOf(readFileSync(join(repository, "Dockerfile"), "utf8"));

/** The instructions of each stage of our Dockerfile. */
export const stages: ReadonlyMap<string, readonly Instruction[]> = new Map(
  all.map(({ name, instructions }) => [name, instructions]),
);

/** The image that each stage begins with. */
export const bases: ReadonlyMap<string, string> = new Map(all.map(({ name, base }) => [name, base]));

/** What a build sees is what .dockerignore leaves. */
const isIgnored = (path: string): boolean =>
  /\/(node_modules|dist|bundle|\.cache|ui\/page)$|\.test\.ts$/.test(path);

/** Does in a folder what the stage `build` does in its working directory, with the same commands. */
export function runBuildStage(folder: string): void {
  for (const { word, rest } of stages.get("build")!) {
    if (word === "COPY") {
      const paths = rest.split(" ");
      const to = paths.pop()!;
      for (const from of paths)
        cpSync(join(repository, from), join(folder, to === "./" ? from : to), {
          recursive: true,
          filter: (path) => !isIgnored(path),
        });
    }
    if (word === "RUN") execFileSync("sh", ["-c", rest], { cwd: folder, stdio: "pipe" });
  }
}
