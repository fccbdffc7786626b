import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandNames } from "../../testing/command-lines.js";
import { manPages } from "../main.js";
import { version } from "../version.js";

/* The pages are made from --help; scripts/check-generated.mjs fails when those in packages/cli/man are stale. */

const pages = manPages();
const sectionsOf = (text: string) => [...text.matchAll(/^\.SH (.*)$/gm)].map(([, title]) => title!);
const order = [
  "NAME",
  "SYNOPSIS",
  "DESCRIPTION",
  "COMMANDS",
  "ARGUMENTS",
  "OPTIONS",
  "EXIT STATUS",
  "NOTES",
  "EXAMPLES",
];

describe("manual pages", () => {
  it("there is one for the program and one for each command, and the package lists them", () => {
    const names = ["tierwall", ...commandNames().map((name) => `tierwall-${name}`)].map(
      (name) => `${name}.1`,
    );
    expect(pages.map(({ file }) => file)).toEqual(names);
    expect(readdirSync(new URL("../../man", import.meta.url)).toSorted()).toEqual(names.toSorted());
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      readonly man: readonly string[];
      readonly files: readonly string[];
    };
    expect(manifest.man.toSorted()).toEqual(names.map((name) => `man/${name}`).toSorted());
    expect(manifest.files).toContain("man");
  });

  it.each(pages)("$file has the usual sections, in the usual order", ({ file, text }) => {
    const name = file.replace(".1", "").toUpperCase().replaceAll("-", String.raw`\-`);
    expect(text.startsWith(`.TH ${name} 1 "" "tierwall ${version}" "Tierwall Manual"\n.SH NAME\n`)).toBe(
      true,
    );
    const sections = sectionsOf(text);
    expect(sections).toEqual(
      expect.arrayContaining(["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"]),
    );
    expect(sections.at(-1)).toBe("SEE ALSO");
    const usual = sections.filter((title) => order.includes(title));
    expect(usual).toEqual(order.filter((title) => sections.includes(title)));
    expect(new Set(sections).size).toBe(sections.length);
  });

  it.each(pages)(
    "$file has only the requests of roff that we use, and no empty lines in paragraphs",
    ({ text }) => {
      const requests = [...text.matchAll(/^[.'](\w*)/gm)].map(([, name]) => name!);
      const known = new Set(["TH", "SH", "TP", "PP", "B", "BR", "nf", "fi"]);
      expect(requests.filter((name) => !known.has(name))).toEqual([]);
      expect(text.replaceAll(/^\.nf\n[^]*?^\.fi$/gm, ".nf")).not.toContain("\n\n");
    },
  );

  it("options, arguments and examples are those of the help", () => {
    const { text } = pages.find(({ file }) => file === "tierwall-explain.1")!;
    expect(text).toContain(".TP\n.B \\-n, \\-\\-namespace <name>\nthe namespace of endpoints");
    expect(text).toContain(".TP\n.B destination\n");
    expect(text).toMatch(/^ {2}tierwall explain \\-f \.\/cluster shop\/cart payments\/api:8443$/m);
    expect(text).toMatch(/^\.SH EXIT STATUS\n0 if every connection is allowed or denied, /m);
    expect(text).toMatch(/^\.B \\-\\-config <path>$/m);
  });

  // Not everywhere; the tests above need nothing.
  const groff = spawnSync("groff", ["--version"]).error === undefined;
  it.runIf(groff)("groff renders them without a warning", () => {
    const input = pages.map(({ text }) => text).join("");
    const { status, stdout, stderr } = spawnSync("groff", ["-man", "-Tutf8", "-Kutf8", "-ww"], {
      input,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Tierwall Manual");
  });
});
