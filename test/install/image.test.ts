import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { repository, runBuildStage, stages } from "./build-stage.js";

/*
 * There need not be a container engine where tests run. What the stage `build` does is done in a folder instead, with the same
 * commands, and what is left there is run as the images run it.
 */

const folder = mkdtempSync(join(tmpdir(), "tierwall-image-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Where the command of an image leads: who does `kubectl exec` types no more than its name. */
function commandOf(stage: string): string {
  const instructions = stages.get(stage)!;
  expect(instructions).toContainEqual({ word: "ENTRYPOINT", rest: '["tierwall"]' });
  const links = instructions.flatMap(
    ({ rest }) => /^ln -s (\S+) \/usr\/local\/bin\/tierwall$/.exec(rest)?.[1] ?? [],
  );
  expect(links).toHaveLength(1);
  return links[0]!;
}

describe("the images", () => {
  it("are built from files that are there", () => {
    for (const { word, rest } of stages.get("build")!)
      if (word === "COPY")
        for (const from of rest.split(" ").slice(0, -1))
          expect([from, existsSync(join(repository, from))]).toEqual([from, true]);
  });

  it("hold a command that runs without what built it", { ...onlyInFull, timeout: 1_200_000 }, () => {
    runBuildStage(folder);
    for (const name of ["controller", "agent"]) {
      const here = commandOf(name).replace("/tierwall", folder);
      expect(execFileSync(here, [name, "--help"], { encoding: "utf8" })).toContain(`tierwall ${name}`);
    }
    expect(existsSync(join(folder, "node_modules/typescript"))).toBe(false);
  });

  it("run without root, except for the agent, which needs it for the kernel", () => {
    const userOf = (stage: string) => stages.get(stage)!.find(({ word }) => word === "USER")?.rest;
    expect([userOf("controller"), userOf("agent")]).toEqual(["65532:65532", undefined]);
  });
});
