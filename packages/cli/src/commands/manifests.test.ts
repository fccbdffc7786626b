import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json } from "@tierwall/core/manifest";
import { cleanupObjects, installObjects, usualValues } from "@tierwall/kube";
import { afterAll, describe, expect, it, vi } from "vitest";
import { usageError } from "../../testing/command-lines.js";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

// Processes, one for each question, take a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

afterAll(removeFolders);
const cwd = folderOf({ none: "" });
const run = (...args: readonly string[]) => tierwall(["manifests", ...args], { cwd });

describe("tierwall manifests", () => {
  it("prints what deploy/install.yaml is", () => {
    const file = new URL("../../../../deploy/install.yaml", import.meta.url);
    expect(run()).toMatchObject({ status: 0, stderr: "", stdout: readFileSync(file, "utf8") });
  });

  it("prints one part, and what settings make of it", () => {
    const { stdout } = run(
      "--component",
      "agent",
      "--set",
      "agent.extraArgs=[--shadow]",
      "--namespace",
      "walls",
    );
    expect(stdout).toContain("- --shadow\n");
    expect(stdout).toContain("namespace: walls\n");
    expect(stdout).not.toContain("kind: Deployment");
  });

  it("takes lists and objects with commas, and several settings in one option", () => {
    const subject = "[{kind: ServiceAccount, name: prometheus, namespace: m}]";
    const set = `monitoring.enabled=true,monitoring.readers=${subject},agent.extraArgs=[--a=b,--c]`;
    const { status, stdout } = run("--set", set);
    expect(status).toBe(0);
    expect(stdout).toContain("  - kind: ServiceAccount\n    name: prometheus\n    namespace: m\n");
    expect(stdout).toMatch(/- --a=b\n\s+- --c\n/);
  });

  it("prints the content of deploy/cleanup.yaml with --cleanup", () => {
    const file = new URL("../../../../deploy/cleanup.yaml", import.meta.url);
    expect(run("--cleanup")).toMatchObject({ status: 0, stderr: "", stdout: readFileSync(file, "utf8") });
    expect(run("--cleanup", "--namespace", "walls").stdout).toContain("namespace: walls\n");
  });

  it("writes a kustomization, and a chart", () => {
    expect(run("--format", "kustomize", "--output-dir", "base").status).toBe(0);
    expect(readdirSync(join(cwd, "base"))).toContain("kustomization.yaml");
    expect(run("--format", "helm", "--output-dir", "chart").status).toBe(0);
    expect(readdirSync(join(cwd, "chart"))).toContain("values.schema.json");
  });

  it.each([
    [["--set", "agent.enabled=perhaps"], "`agent.enabled` takes true or false"],
    [["--set", "agnet.enabled=true"], "there is no setting `agnet.enabled`; --help lists them"],
    [["--set", "agent"], "it takes a setting and a value: agent.enabled=false"],
    [["--component", "everything"], "there are crds, roles, controller, webhook, agent, first-draft"],
    [["--cleanup", "--component", "agent"], "'--cleanup' cannot be used with option '--component <part>'"],
    [["--format", "helm"], "--format helm makes several files: say where with --output-dir"],
    [
      ["--format", "helm", "--set", "agent.enabled=false", "--output-dir", "x"],
      "a chart has all settings in it: give --set to helm instead",
    ],
    [["--format", "kustomize", "--output-dir", "/proc/nowhere"], "`/proc/nowhere` cannot be written"],
  ])("%j: %s", (args, complaint) => {
    const { status, stderr } = run(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(complaint);
  });
});

it("what containers are started with, the commands understand", () => {
  const values = { ...usualValues, "page.enabled": true };
  const objects = [...installObjects({ values }), ...cleanupObjects()];
  const lines = objects.flatMap(({ spec }) => argumentsIn(spec));
  expect(lines.map(([command]) => command)).toEqual(["controller", "agent", "agent", "cleanup"]);
  for (const line of lines) expect([line, usageError(line)]).toEqual([line, undefined]);
});

function argumentsIn(spec: Json | undefined): string[][] {
  const template = isObject(spec) ? spec.template : undefined;
  const pod = isObject(template) ? template.spec : undefined;
  const { initContainers = [], containers = [] } = (pod ?? {}) as Record<string, { args?: string[] }[]>;
  return [...initContainers, ...containers].flatMap(({ args }) => (args === undefined ? [] : [args]));
}
