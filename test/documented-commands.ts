import { readdirSync, readFileSync } from "node:fs";
import { wordsOf } from "../packages/cli/testing/command-lines.js";
import { cannotRun } from "./docs/cannot-run.js";

/*
 * The command lines of README.md, docs/ and --help (docs/reference/cli), as a reader would copy them, and which test runs them:
 *
 *   files     documented-commands.test.ts, in a folder with the files that the lines name
 *   cluster   cluster/documented-commands.test.ts, with a real API server and the real kubectl
 *   service   cluster/documented-services.test.ts: what runs until it is stopped is started, used and stopped
 *   node      cluster/documented-services.test.ts: the agent, on a machine of its own
 *   clone     cluster/fresh-clone.test.ts: README.md and the tutorial, with npm and npx
 *   nothing   docs/cannot-run.ts has the reason
 *
 * Blocks that show output (```console) are compared with it by command-pages.test.ts.
 */

export type Needs = "files" | "cluster" | "service" | "node" | "clone" | "nothing";

export interface DocumentedCommand {
  readonly page: string;
  /** The whole line, with pipes and redirections, without a comment. */
  readonly line: string;
  readonly needs: Needs;
}

const root = new URL("../", import.meta.url);
const pages = readdirSync(new URL("docs", root), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`)
  .toSorted();

/** Pages whose every line is run in a fresh clone, in order. */
export const clonePages = ["README.md", "docs/tutorial/README.md", "docs/tutorial/change.md"];

export function documentedCommands(): readonly DocumentedCommand[] {
  return ["README.md", "examples/README.md", "packages/cli/README.md", ...pages].flatMap((page) => {
    const lines = shellLines(readFileSync(new URL(page, root), "utf8"));
    return [...new Set(lines)].map((line) => ({ page, line, needs: needsOf(page, line) }));
  });
}

/** Lines of code that are commands, except for blocks that command-pages.test.ts compares with their output. */
function shellLines(text: string): readonly string[] {
  const unchecked = text.replaceAll(/^```console\n\$ (?:npx )?tierwall [^]*?^```$/gm, "");
  return commandsIn(unchecked);
}

const programs =
  "npm|npx|tierwall|sudo|source|kubectl|helm|docker|kind|curl|apt-get|mkdir|export|hubble|conntrack";
const command = new RegExp(String.raw`^(?:\$ )?((?:${programs}) .*)$`);

/** Every command of a text, in order. */
export function commandsIn(text: string): readonly string[] {
  return codeLines(text.replaceAll(/(?:\\|(?<=\|))\n\s*/g, " ")).flatMap((line) => {
    const found = command.exec(line)?.[1];
    return found === undefined || isSynopsis(found) ? [] : [found.replace(/\s+#.*$/, "").trim()];
  });
}

/** Indented by four, or in fences; help examples are indented by two in these. */
function codeLines(text: string): readonly string[] {
  let inFence = false;
  return text.split("\n").flatMap((line) => {
    if (/^ *```/.test(line)) inFence = !inFence;
    return inFence || line.startsWith("    ") ? [line.trim()] : [];
  });
}

/** `tierwall validate -f PATH [-R]` represents many commands. */
const isSynopsis = (line: string): boolean =>
  !line.startsWith("export ") && /\[[-A-Z]|…|\.\.\.|\b[A-Z]+\||\b(?:PATH|NAME|FILE)\b/.test(line);

/** Commands that act on a node. */
const nodeCommands: ReadonlySet<string> = new Set(["agent", "hits"]);

/** Commands that run until they are stopped. */
const serviceCommands: ReadonlySet<string> = new Set(["controller", "serve"]);

/** Commands that read the current cluster unless they are given files. */
const stateCommands: ReadonlySet<string> = new Set(
  "explain matrix lookup lint minimize validate preview replay nft snapshot cleanup".split(" "),
);

function needsOf(page: string, line: string): Needs {
  if (cannotRun.some((one) => one.lines.test(line) && (one.page ?? page) === page)) return "nothing";
  if (clonePages.includes(page)) return "clone";
  if (line.startsWith("curl ")) return "service";
  if (/(?:^|\| )kubectl (?!tierwall )/.test(line)) return "cluster";
  if (!line.includes("tierwall ")) return "files";
  return needsOfCommand(wordsOf(line.slice(line.indexOf("tierwall ") + "tierwall ".length)));
}

function needsOfCommand(words: readonly string[]): Needs {
  const [name = ""] = words;
  if (nodeCommands.has(name)) return "node";
  if (serviceCommands.has(name) || words.includes("--watch")) return "service";
  const hasFiles = words.includes("-f");
  const isEdit = words.includes("--apply") || words.includes("--delete");
  if (words.includes("--live") || words.includes("--context")) return "cluster";
  if (name === "preview" && hasFiles && !isEdit) return "cluster";
  if (name === "diff" && !words.includes("--git"))
    return words.slice(1).filter((word, i) => !word.startsWith("-") && words[i] !== "-f").length < 2
      ? "cluster"
      : "files";
  return stateCommands.has(name) && !hasFiles ? "cluster" : "files";
}

/** The same without lines that an earlier page has as well, with or without npx: starting a service takes seconds. */
export function newCommandsByPage(...needs: readonly Needs[]): ReturnType<typeof commandsByPage> {
  const seen = new Set<string>();
  return commandsByPage(...needs).flatMap(([page, lines]) => {
    const added = lines.filter((line) => !seen.has(line.replace(/^npx /, "")));
    for (const line of lines) seen.add(line.replace(/^npx /, ""));
    return added.length === 0 ? [] : [[page, added] as const];
  });
}

/** The commands of each page that need one of these, in order. */
export function commandsByPage(
  ...needs: readonly Needs[]
): readonly (readonly [page: string, lines: readonly string[]])[] {
  const byPage = new Map<string, string[]>();
  for (const one of documentedCommands())
    if (needs.includes(one.needs)) byPage.set(one.page, [...(byPage.get(one.page) ?? []), one.line]);
  return [...byPage];
}
