import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Diagnostic } from "@tierwall/core";
import type { Situation } from "@tierwall/kube";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileSource, type FileSourceOptions } from "./file-source.js";

let folder: string;
let source: FileSource;
let seen: Situation[];
let errors: (readonly Diagnostic[])[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tierwall-files-"));
  seen = [];
  errors = [];
});
afterEach(async () => {
  await source.stop();
  rmSync(folder, { recursive: true, force: true });
});

const never = 1_000_000_000;
const patience = { timeout: 300_000, interval: 10 };

function watch(options: Partial<FileSourceOptions> = {}): Promise<void> {
  source = new FileSource({
    paths: [folder],
    rescanMilliseconds: never,
    delivery: { quiet: 10, longest: 40 },
    onErrors: (found) => void errors.push(found),
    ...options,
  });
  return source.start((situation) => void seen.push(situation));
}

/** Files that were just written are read again in any case; these look older. */
function write(name: string, ...documents: readonly string[]): void {
  writeFileSync(join(folder, name), documents.join("---\n"));
  utimesSync(join(folder, name), 1000, 1000);
}

/** As editors save. */
function replace(name: string, ...documents: readonly string[]): void {
  write(`.${name}.new`, ...documents);
  renameSync(join(folder, `.${name}.new`), join(folder, name));
}

const isolation = (name: string, app = name) =>
  `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: ${name}, namespace: shop}\nspec: {podSelector: {matchLabels: {app: ${app}}}}\n`;
const pod = (name: string, label = "a") =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: shop, labels: {l: ${label}}}\nstatus: {podIP: 10.0.0.1}\n`;

const policies = () => seen.at(-1)?.policies.map(({ name }) => name) ?? [];
const codes = () => errors.at(-1)?.map(({ code }) => code) ?? [];

describe("files that are watched", () => {
  it("give a first situation, and another when a file is written, replaced, added or deleted", async () => {
    write("a.yaml", isolation("one"));
    await watch();
    expect(policies()).toEqual(["one"]);
    write("a.yaml", isolation("one"), isolation("two"));
    await expect.poll(policies, patience).toEqual(["one", "two"]);
    replace("a.yaml", isolation("two"));
    await expect.poll(policies, patience).toEqual(["two"]);
    write("b.yaml", isolation("three"));
    await expect.poll(policies, patience).toEqual(["three", "two"]);
    rmSync(join(folder, "a.yaml"));
    await expect.poll(policies, patience).toEqual(["three"]);
    expect(errors).toEqual([]);
  });

  it("give out what did not change as the same objects, wherever it moves", async () => {
    write("a.yaml", isolation("one"), pod("p"), pod("q"));
    await watch();
    write("b.yaml", isolation("one"), pod("q"));
    write("a.yaml", isolation("two"), pod("p", "b"));
    await expect.poll(policies, patience).toEqual(["one", "two"]);
    const [before, after] = [seen[0]!, seen.at(-1)!];
    expect(after.cluster.pods.get("shop/q")).toBe(before.cluster.pods.get("shop/q"));
    expect(after.cluster.pods.get("shop/p")).not.toBe(before.cluster.pods.get("shop/p"));
    expect(after.policies[0]).toBe(before.policies[0]);
    expect(after.cluster.namespaces).toBe(before.cluster.namespaces);
  });

  it("give no situation if the meaning does not change", async () => {
    write("a.yaml", isolation("one"));
    await watch();
    write("a.yaml", `# a comment\n${isolation("one")}`);
    write("notes.txt", "not a manifest");
    write("b.yaml", isolation("two"));
    await expect.poll(policies, patience).toEqual(["one", "two"]);
    expect(seen).toHaveLength(2);
  });

  it.each<[what: string, code: string, wrong: readonly string[]]>([
    ["is half written", "TW1001", [isolation("one"), "apiVersion: networking.k8s.io/v1\nmetadata: {na"]],
    ["is empty, as before it is written to", "TW1004", [""]],
    ["has a mistake in a policy", "TW1204", [isolation("one").replace("podSelector", "podSelectors")]],
    ["has an object that is in another file", "TW1102", [isolation("two")]],
    [
      "has a kind that is nearly one",
      "TW1107",
      [isolation("one").replace("NetworkPolicy", "NetworkPolicies")],
    ],
  ])("keep the last valid state, and report the error, while one of them %s", async (_, code, wrong) => {
    write("a.yaml", isolation("one"));
    write("b.yaml", isolation("two"));
    await watch();
    const before = seen.at(-1)!;
    replace("a.yaml", ...wrong);
    await expect.poll(codes, patience).toContain(code);
    expect(seen).toEqual([before]);
    replace("a.yaml", isolation("one", "other"));
    await expect.poll(() => seen.length, patience).toBe(2);
    expect(policies()).toEqual(["one", "two"]);
    expect(errors.at(-1)).toEqual([]);
    expect(seen[1]!.policies[1]).toBe(before.policies[1]);
  });

  it("leave the objects of a file that cannot be read as they were", async () => {
    write("a.yaml", isolation("one"), isolation("two"));
    await watch();
    replace("a.yaml", isolation("one"), "half: {");
    await expect.poll(codes, patience).toEqual(["TW1001"]);
    replace("a.yaml", isolation("one"), isolation("two"), isolation("three"));
    await expect.poll(policies, patience).toEqual(["one", "three", "two"]);
    expect(seen[1]!.policies[2]).toBe(seen[0]!.policies[1]);
  });

  it("know which of two stays when an object that was there twice goes from one file", async () => {
    write("a.yaml", isolation("zero"), isolation("one", "first"));
    write("b.yaml", isolation("two"));
    await watch();
    write("b.yaml", isolation("one", "second"), isolation("two"));
    await expect.poll(codes, patience).toEqual(["TW1102"]);
    expect(errors.at(-1)![0]!.message).toContain("a.yaml:6");
    write("a.yaml", isolation("three"));
    await expect.poll(policies, patience).toEqual(["one", "three", "two"]);
    expect(JSON.stringify(seen.at(-1)!.tiers)).toContain("second");
  });

  it("may have assertions without names next to policies", async () => {
    const assertion =
      "apiVersion: tierwall.dev/v1\nkind: ConnectivityTest\nspec: {given: [a.yaml], expect: []}\n";
    write("a.yaml", isolation("one"), assertion, assertion);
    await watch();
    expect(policies()).toEqual(["one"]);
    expect(errors.at(-1) ?? []).toEqual([]);
  });

  it("wait for a first situation while there are errors", async () => {
    const started = watch();
    await expect.poll(codes, patience).toEqual(["TW1004"]);
    write("a.yaml", isolation("one"));
    await started;
    expect(policies()).toEqual(["one"]);
  });

  it("keep the last valid state while a path is missing, and follow a folder that replaces it", async () => {
    const path = join(folder, "mounted");
    mkdirSync(path);
    write("mounted/a.yaml", isolation("one"));
    await watch({ paths: [path] });
    rmSync(path, { recursive: true });
    await expect.poll(codes, patience).toEqual(["TW1004"]);
    mkdirSync(path);
    write("mounted/a.yaml", isolation("one"));
    await expect.poll(codes, patience).toEqual([]);
    expect(seen).toHaveLength(1);
    mkdirSync(join(folder, "next"));
    write("next/a.yaml", isolation("two"));
    renameSync(path, join(folder, "before"));
    renameSync(join(folder, "next"), path);
    await expect.poll(policies, patience).toEqual(["two"]);
    write("mounted/a.yaml", isolation("three"));
    await expect.poll(policies, patience).toEqual(["three"]);
  });

  it("follow a ConfigMap, whose files are links through a link that is swapped", async () => {
    const version = (n: number, text: string) => {
      mkdirSync(join(folder, `..${n}`));
      writeFileSync(join(folder, `..${n}`, "a.yaml"), text);
      symlinkSync(`..${n}`, join(folder, "..data_tmp"));
      renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    };
    version(1, isolation("one"));
    symlinkSync("..data/a.yaml", join(folder, "a.yaml"));
    await watch({ recursive: true });
    expect(policies()).toEqual(["one"]);
    version(2, isolation("two"));
    await expect.poll(policies, patience).toEqual(["two"]);
  });

  it("are found in nested folders, also in new ones, with --recursive", async () => {
    write("a.yaml", isolation("one"));
    await watch({ recursive: true });
    mkdirSync(join(folder, "deep", "deeper"), { recursive: true });
    write("deep/deeper/b.yaml", isolation("two"));
    await expect.poll(policies, patience).toEqual(["one", "two"]);
    write("deep/deeper/b.yaml", isolation("three"));
    await expect.poll(policies, patience).toEqual(["one", "three"]);
  });

  it("are also polled, as not every change is notified", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "tierwall-files-"));
    try {
      writeFileSync(join(elsewhere, "a.yaml"), isolation("one"));
      symlinkSync(join(elsewhere, "a.yaml"), join(folder, "a.yaml"));
      await watch({ rescanMilliseconds: 20 });
      writeFileSync(join(elsewhere, "a.yaml"), isolation("two"));
      await expect.poll(policies, patience).toEqual(["two"]);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it("cannot be standard input, which can be read only once", async () => {
    void watch({ paths: ["-"] });
    await expect.poll(codes, patience).toEqual(["TW1004"]);
  });
});
