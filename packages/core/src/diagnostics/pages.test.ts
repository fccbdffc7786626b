/// <reference types="node" />

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { convert } from "../analysis/convert/convert.js";
import type { Target } from "../analysis/convert/targets.js";
import { parseEndpoint, parseTarget } from "../analysis/endpoints/endpoint-ref.js";
import { explain } from "../analysis/explain/explain.js";
import { readState, type State, type StateOptions } from "../state/state.js";
import type { Finding } from "../analysis/lint/finding.js";
import { lint } from "../analysis/lint/lint.js";
import { parseCidr } from "../net/cidr.js";
import { findingText } from "../report/lint/lint-text.js";
import { noStyle } from "../report/style.js";
import type { Diagnostic } from "./diagnostic.js";
import { type Code, diagnostics } from "./table.js";

/*
 * Every page of docs/reference/diagnostics/ is executed: its example must yield its code, with exactly the text that the page
 * shows, and the corrected version must not. Comments on the page say how an example is run:
 *
 *   <!-- options: --service-cidr 10.96.0.0/12 -->    with these options of the command line
 *   <!-- ask: shop/cart -> shop/api:80/TCP -->       the diagnostic answers this question
 *   <!-- convert: cluster-network-policy -->         the reason why this conversion is refused
 *   (none of these)                                  `tierwall validate` reports it, or `tierwall lint` for codes 4xxx
 *   <!-- run: … -->, <!-- dns: … -->                 only the command line reports it: test/command-line-pages.test.ts
 */

const folder = new URL("../../../../docs/reference/diagnostics/", import.meta.url);
const pageNames = readdirSync(folder).filter((name) => name !== "README.md");
const pages = pageNames.map((name) => readPage(name.slice(0, -".md".length) as Code));
const ofCommandLine = (page: Page) => /<!-- (run|dns): /.test(page.text);

interface Page {
  readonly code: Code;
  readonly text: string;
  readonly options: string;
  readonly example: Run;
  readonly output: string;
  readonly corrected: Run;
}

/** A manifest, and the question that is asked about it where there is one. */
interface Run {
  readonly yaml: string;
  readonly question: string | undefined;
  readonly convertTo: string | undefined;
}

function readPage(code: Code): Page {
  const text = readFileSync(new URL(`${code}.md`, folder), "utf8");
  const [before, after = ""] = text.split("\n## Corrected\n") as [string, string?];
  const convertTo = comment(before, "convert");
  const example = { yaml: block(before, "yaml") ?? "", question: comment(before, "ask"), convertTo };
  return {
    code,
    text,
    options: comment(before, "options") ?? "",
    example,
    output: block(before, "text") ?? "",
    // A part that the correction does not change is only in the example.
    corrected: {
      yaml: block(after, "yaml") ?? example.yaml,
      question: comment(after, "ask") ?? example.question,
      convertTo,
    },
  };
}

function block(text: string, language: string): string | undefined {
  return new RegExp(`^\`\`\`${language}\n(.*?)\n\`\`\`$`, "ms").exec(text)?.[1];
}

function comment(text: string, name: string): string | undefined {
  return new RegExp(`^<!-- ${name}: (.*) -->$`, "m").exec(text)?.[1];
}

function optionsOf(written: string): StateOptions {
  if (written === "") return {};
  if (written === "--keep-going") return { keepGoing: true };
  const group = /^--ignore-api (\S+)$/.exec(written)?.[1];
  if (group !== undefined) return { ignoreApis: [group] };
  const cidr = parseCidr(/^--service-cidr (\S+)$/.exec(written)?.[1] ?? "");
  if (cidr === undefined) throw new Error(`this test does not know the option ${written}`);
  return { facts: { serviceCidrs: [cidr] } };
}

function run({ yaml, question, convertTo }: Run, { code, options }: Page): readonly Finding[] {
  const sources = [{ file: "example.yaml", text: yaml }];
  const state = readState(sources, optionsOf(options));
  if (isOfLint(code)) return lint(state, { sources }).findings;
  if (convertTo !== undefined)
    return [...state.diagnostics, ...convert(state, { to: convertTo as Target }).refusals];
  return question === undefined ? state.diagnostics : [...state.diagnostics, ...answer(state, question)];
}

const isOfLint = (code: Code) => code.startsWith("TW4");

function answer(state: State, question: string): readonly Diagnostic[] {
  const [from, to] = question.split(" -> ") as [string, string];
  const source = parseEndpoint(from);
  if (!source.ok) return [source.diagnostic];
  const target = parseTarget(to);
  if (!target.ok) return [target.diagnostic];
  const { endpoint, port } = target.value;
  const explained = explain(state, { from: source.value, to: endpoint, port });
  return explained.ok ? [] : [explained.diagnostic];
}

/** The command that a reader types to see the output. */
function commandOf({ code, options, example: { question, convertTo } }: Page): string {
  if (convertTo !== undefined) return `npx tierwall convert -f example.yaml --to ${convertTo}`;
  if (question === undefined)
    return `npx tierwall ${isOfLint(code) ? "lint" : "validate"} -f example.yaml${options === "" ? "" : ` ${options}`}`;
  const [from, to] = question.split(" -> ") as [string, string];
  return `npx tierwall explain -f example.yaml --from ${from} --to ${to.startsWith("[") ? `'${to}'` : to}`;
}

describe("the pages of docs/reference/diagnostics", () => {
  it("there is a page for every code, and a code for every page", () => {
    expect(new Set(pageNames)).toEqual(new Set(Object.keys(diagnostics).map((code) => `${code}.md`)));
  });

  it.each(pages.map((page) => [page.code, page] as const))("%s has the title of its code", (code, page) => {
    expect(page.text.split("\n")[0]).toBe(`# ${code}: ${diagnostics[code].title}`);
  });

  describe.each(pages.filter((page) => !ofCommandLine(page)).map((page) => [page.code, page] as const))(
    "%s",
    (code, page) => {
      const found = run(page.example, page);

      it("its example yields it, with the output that the page shows", () => {
        const texts = found
          .filter((d) => d.code === code)
          .map((d) => findingText(d, () => page.example.yaml, noStyle));
        expect(texts.join("\n\n")).toBe(page.output);
      });

      it("its example has no other problems", () => {
        const related: Partial<Record<Code, readonly Code[]>> = { TW2016: ["TW2015"], TW2022: ["TW1204"] };
        const others = found.filter((d) => d.code !== code && d.severity !== "note").map((d) => d.code);
        expect(others).toEqual(related[code] ?? []);
      });

      it("the page names the command that prints it", () => {
        expect(page.text).toContain(`\`${commandOf(page)}\` prints:`);
      });

      it("its correction changes something, and fixes it", () => {
        const after = run(page.corrected, page);
        expect(page.corrected).not.toEqual(page.example);
        expect(after.filter((d) => d.code === code || d.severity === "error")).toEqual([]);
      });
    },
  );
});
