import { readdirSync, readFileSync } from "node:fs";
import { wordsOf } from "../packages/cli/testing/command-lines.js";

/*
 * The command lines of tierwall in README.md, docs/ and --help (docs/reference/cli.md), as a reader would copy them. Those that need
 * files are run by documented-commands.test.ts, and those that need a cluster by cluster/documented-commands.test.ts. Those that need
 * a node are parsed by command-lines.test.ts.
 */

/** What a command needs in order to run. */
export type Needs = "files" | "cluster" | "node";

export interface DocumentedCommand {
  readonly page: string;
  /** The whole line, with pipes and redirections, without a comment. */
  readonly line: string;
  readonly needs: Needs;
}

const root = new URL("../", import.meta.url);
const pages = readdirSync(new URL("docs", root), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

export function documentedCommands(): readonly DocumentedCommand[] {
  return ["README.md", "examples/README.md", "packages/cli/README.md", ...pages].flatMap((page) => {
    const lines = shellLines(readFileSync(new URL(page, root), "utf8"));
    return [...new Set(lines)].map((line) => ({ page, line, needs: needsOf(line) }));
  });
}

/** Lines of code that call tierwall, except for blocks that command-pages.test.ts compares with their output. */
function shellLines(text: string): readonly string[] {
  const unchecked = text
    .replaceAll(/^```console\n\$ (?:npx )?tierwall [^]*?^```$/gm, "")
    .replaceAll(/(?:\\|(?<=\|))\n\s*/g, " ");
  const code = codeLines(unchecked);
  return code.flatMap((line) => {
    const found = /^(?:\$ )?((?:[a-z][^#`]*\| *|source <\(|sudo )?(?:npx )?(?:kubectl )?tierwall .*)$/.exec(
      line,
    )?.[1];
    return found === undefined || isSynopsis(found) ? [] : [found.replace(/\s+#.*$/, "").trim()];
  });
}

/** Indented by four, or in fences; help examples are indented by two in these. */
function codeLines(text: string): readonly string[] {
  let inFence = false;
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("```")) inFence = !inFence;
    return inFence || line.startsWith("    ") ? [line.trim()] : [];
  });
}

/** `tierwall validate -f PATH [-R]` represents many commands. */
const isSynopsis = (line: string): boolean =>
  /\[[-A-Z]|…|\.\.\.|\b[A-Z]+\||\b(?:PATH|NAME|FILE)\b/.test(line);

/** Commands that act on a node, or go on until they are stopped; tests of their own run them. */
const nodeCommands: ReadonlySet<string> = new Set(["agent", "hits", "controller", "cleanup", "serve"]);

/** Commands that read the current cluster unless they are given files. */
const stateCommands: ReadonlySet<string> = new Set(
  "explain matrix lookup lint minimize validate preview replay nft snapshot".split(" "),
);

function needsOf(line: string): Needs {
  const words = wordsOf(line.slice(line.indexOf("tierwall ") + "tierwall ".length));
  const [command = ""] = words;
  if (line.startsWith("sudo ") || nodeCommands.has(command) || words.includes("--watch")) return "node";
  const hasFiles = words.includes("-f");
  const isEdit = words.includes("--apply") || words.includes("--delete");
  if (words.includes("--live") || words.includes("--context")) return "cluster";
  if (command === "preview" && hasFiles && !isEdit) return "cluster";
  if (command === "diff" && !words.includes("--git"))
    return words.slice(1).filter((word, i) => !word.startsWith("-") && words[i] !== "-f").length < 2
      ? "cluster"
      : "files";
  return stateCommands.has(command) && !hasFiles ? "cluster" : "files";
}

/** The commands of each page, in order. */
export function commandsByPage(needs: Needs): readonly (readonly [page: string, lines: readonly string[]])[] {
  const byPage = new Map<string, string[]>();
  for (const command of documentedCommands())
    if (command.needs === needs)
      byPage.set(command.page, [...(byPage.get(command.page) ?? []), command.line]);
  return [...byPage];
}
