import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Diagnostic } from "@tierwall/core";
import { diagnosticText, noStyle } from "@tierwall/core/report";
import { Prover, readGuarantees, runGuarantee } from "@tierwall/core/prove";
import { parseRemoval, readEdited, readState } from "@tierwall/core/state";
import { afterAll, describe, expect, it } from "vitest";
import { applyConfig } from "../packages/cli/src/config/apply-config.js";
import { readConfig } from "../packages/cli/src/config/config.js";
import { readDnsRecords } from "../packages/cli/src/input/dns.js";
import { readPaths } from "@tierwall/kube";
import { makeProgram } from "../packages/cli/src/main.js";
import { tierwall } from "../packages/cli/testing/run-command.js";

/* The pages of docs/reference/diagnostics whose code only the command line reports; core's pages.test.ts executes the others. */

const folder = mkdtempSync(join(tmpdir(), "tierwall-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

const page = (code: string) =>
  readFileSync(new URL(`../docs/reference/diagnostics/${code}.md`, import.meta.url), "utf8").split(
    "\n## Corrected\n",
  );
const block = (text: string | undefined, language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)\n\`\`\`$`, "ms").exec(text ?? "")?.[1];

function textOf(diagnostics: readonly Diagnostic[], text?: string): string {
  const shown = diagnostics.map((d) => diagnosticText(d, () => text, noStyle)).join("\n\n");
  return shown.replaceAll(`${folder}/`, "");
}

describe("TW1004: a path that cannot be read", () => {
  const [example] = page("TW1004");
  const path = /<!-- run: validate -f (\S+) -->/.exec(example!)![1]!;

  it("a path that does not exist yields it, with the output that the page shows", () => {
    expect(textOf(readPaths([join(folder, path)], false).diagnostics)).toBe(block(example, "text"));
  });

  it("a path that exists does not", () => {
    const file = join(folder, "policies.yaml");
    writeFileSync(file, "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
    const { diagnostics, sources } = readPaths([file], false);
    expect(diagnostics).toEqual([]);
    expect(sources).toHaveLength(1);
  });
});

describe("TW1007: a value in tierwall.yaml that its option does not accept", () => {
  const [example, corrected] = page("TW1007");
  const problemsOf = (yaml: string) => {
    const file = join(folder, "tierwall.yaml");
    writeFileSync(file, `${yaml}\n`);
    const program = makeProgram(() => undefined);
    const read = readConfig(file, program);
    const [, command] = /<!-- run: (\S+) /.exec(example!)!;
    const used = program.commands.find((one) => one.name() === command)!;
    return read.ok ? applyConfig(used, read.config) : read.diagnostics;
  };

  it("the defaults of the example yield it, with the output that the page shows", () => {
    const yaml = block(example, "yaml")!;
    expect(textOf(problemsOf(yaml), yaml)).toBe(block(example, "text"));
  });

  it("its correction fixes it", () => {
    expect(problemsOf(block(corrected, "yaml")!)).toEqual([]);
  });
});

describe("TW1009: a cluster that cannot be read", () => {
  const [example, corrected] = page("TW1009");

  it("a server that does not answer yields it, with the output that the page shows", () => {
    writeFileSync(join(folder, "kubeconfig.yaml"), block(example, "yaml")!);
    const [, command] = /<!-- run: (.*) -->/.exec(example!)!;
    const { status, stdout } = tierwall([...command!.split(" "), "-o", "wide"], { cwd: folder });
    expect(status).toBe(2);
    expect(stdout).toContain(block(example, "text"));
    expect(corrected).toContain(command);
  });
});

describe.each([
  ["TW1010", "utf8"],
  ["TW1011", "utf16le"],
] as const)("%s", (code, encoding) => {
  const [example] = page(code);
  const run = (args: readonly string[]) => tierwall(args, { cwd: folder });

  it("its example yields it, with the output that the page shows; its correction does not", () => {
    const [, command] = /<!-- run: (.*) -->/.exec(example!)!;
    const mark = encoding === "utf8" ? "" : "\uFEFF";
    writeFileSync(join(folder, "example.yaml"), `${mark}${block(example, "yaml")!}\n`, encoding);
    const { status, stdout } = run([...command!.split(" "), "-o", "wide"]);
    expect([status, stdout]).toEqual([2, expect.stringContaining(block(example, "text")!)]);
    writeFileSync(join(folder, "example.yaml"), block(example, "yaml")!);
    expect(run(["validate", "-f", "example.yaml", "--max-input", "1Gi"]).status).toBe(0);
  });
});

describe("TW1309: an invalid IP address", () => {
  const [example, corrected] = page("TW1309");
  const records = (yaml: string) => {
    const file = join(folder, /<!-- dns: (\S+) -->/.exec(example!)![1]!);
    writeFileSync(file, `${yaml}\n`);
    return readDnsRecords(file);
  };

  it("the records of the example yield it, with the output that the page shows", () => {
    expect(textOf(records(block(example, "yaml")!).diagnostics)).toBe(block(example, "text"));
  });

  it("its correction fixes it", () => {
    const read = records(block(corrected, "yaml")!);
    expect(read.diagnostics).toEqual([]);
    expect(read.records.map(({ name, addresses }) => [name, addresses.length])).toEqual([
      ["api.example.com", 1],
    ]);
  });
});

describe.each(["TW1008", "TW2023"])("%s: observed traffic", (code) => {
  const [example, corrected] = page(code);
  const pod = (name: string) =>
    `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop}, status: {podIP: 10.0.0.${name.length}}}`;
  const replay = (flows: string) => {
    writeFileSync(join(folder, "flows.csv"), `${flows}\n`);
    writeFileSync(
      join(folder, "cluster.yaml"),
      `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---\n${pod("web")}\n---\n${pod("cart")}\n`,
    );
    return tierwall(["replay", "-f", "cluster.yaml", "--flows", "flows.csv"], { cwd: folder });
  };

  it("the records of the example yield it, with the output that the page shows", () => {
    expect(replay(block(example, "csv")!).stderr.trim()).toBe(block(example, "text"));
  });

  it("their correction fixes it", () => {
    const { status, stderr } = replay(block(corrected, "csv")!);
    expect([status, stderr]).toEqual([0, ""]);
  });
});

describe("TW1602: a policy to convert that does not exist", () => {
  const [example, corrected] = page("TW1602");
  const run = (command: string) => tierwall(command.split(" "), { cwd: folder });
  const stderrOf = (command: string) => {
    writeFileSync(join(folder, "policies.yaml"), `${block(example, "yaml")}\n`);
    return run(command).stderr.trimEnd();
  };

  it("a name that nothing has yields it, with the output that the page shows", () => {
    expect(stderrOf(/<!-- run: (.*) -->/.exec(example!)![1]!)).toBe(block(example, "text"));
  });

  it("a name that something has does not", () => {
    expect(stderrOf(/`npx tierwall (.*)`/.exec(corrected!)![1]!)).not.toContain("TW1602");
  });
});

describe("TW1507: an object to delete that does not exist", () => {
  const [example, corrected] = page("TW1507");
  const deleting = (text: string) => {
    const removal = parseRemoval(/--delete (\S+)$/.exec(text)![1]!);
    if (!removal.ok) return [removal.diagnostic];
    const source = { file: "example.yaml", text: block(example, "yaml")! };
    return readEdited([source], { apply: [], remove: [removal.value] }).diagnostics;
  };

  it("deleting what is not there yields it, with the output that the page shows", () => {
    expect(textOf(deleting(/<!-- run: (.*) -->/.exec(example!)![1]!))).toBe(block(example, "text"));
  });

  it("its correction fixes it", () => {
    expect(deleting(/`npx tierwall (.*)`/.exec(corrected!)![1]!)).toEqual([]);
  });
});

describe("TW1508: an assumption that the input violates", () => {
  const [example, corrected] = page("TW1508");
  const problemsOf = (text: string) => {
    const state = readState([{ file: "example.yaml", text }]);
    const [guarantee] = readGuarantees(text, "example.yaml").guarantees;
    return runGuarantee(new Prover(state), state, guarantee!, {}).diagnostics;
  };

  it("the guarantee of the example yields it, with the output that the page shows", () => {
    const yaml = block(example, "yaml")!;
    expect(textOf(problemsOf(yaml), yaml)).toBe(block(example, "text"));
  });

  it("its correction fixes it", () => {
    expect(problemsOf(block(corrected, "yaml")!)).toEqual([]);
  });
});
