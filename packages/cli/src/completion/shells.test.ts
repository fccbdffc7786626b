import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import { onlyInFull } from "../../../../test/slice.mjs";
import { folderOf, removeFolders } from "../../testing/run-command.js";

/*
 * The scripts in the shells they are for. A shell that is not installed is skipped, which CI does not let pass: .ci/run
 * installs them.
 */

afterAll(removeFolders);
// The first test of each shell waits for the answers to all lines.
vi.setConfig({ testTimeout: 1_200_000 });

const bin = fileURLToPath(new URL("../../bin/", import.meta.url));
const folder = folderOf({
  "cluster/pods.yaml": `
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: cart}, spec: {containers: [{name: c, ports: [{containerPort: 8080}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: cat}}
`,
  "clutter.txt": "",
  "bin/x": "",
});
for (const name of ["tierwall", "kubectl-tierwall", "kubectl_complete-tierwall"])
  symlinkSync(join(bin, `${name}.js`), join(folder, "bin", name));
const env = { ...process.env, PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`, HOME: folder };

function run(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const { stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    env: { ...env, ...more },
    encoding: "utf8",
    timeout: 1_190_000,
  });
  if (error !== undefined) throw error;
  return `${stdout}${stderr}`;
}

const missing = (command: string) => spawnSync(command, ["--version"], { env }).error !== undefined;
const endOfOffers = "=end-of-offers=";
const lines = (text: string) => text.split("\n").filter((line) => line !== "");

/** What a user types, and what each of the offers makes of the last word. */
const typed = [
  ["a command", "tierwall expl", ["explain"]],
  ["an option", "tierwall validate --recur", ["--recursive"]],
  ["a choice", "tierwall validate -o j", ["json"]],
  ["a choice behind =", "tierwall validate --output=j", ["--output=json"]],
  ["a namespace", "tierwall explain -f cluster --from sh", ["shop/"]],
  ["pods", "tierwall explain -f cluster --from shop/ca", ["shop/cart", "shop/cat"]],
  ["a pod behind =", "tierwall explain -f cluster --from=shop/car", ["--from=shop/cart"]],
  ["a port behind a colon", "tierwall explain -f cluster --to shop/cart:80", ["shop/cart:8080/TCP"]],
  ["a pod in quotes", 'tierwall explain -f "cluster" --from "shop/car', ["shop/cart"]],
  ["files", "tierwall validate -f clu", ["cluster", "clutter.txt"]],
  ["a file behind =", "tierwall validate --filename=clut", ["--filename=clutter.txt"]],
  ["nothing", "tierwall tour ", []],
] as const;

const lineNumber = (line: string) => typed.findIndex(([, one]) => one === line);

/** Asks a shell for all lines at once, as each start takes a while, when the first answer is wanted. */
function inOneShell(shell: string, how: readonly string[], script: string, args: readonly string[] = []) {
  let answers: readonly (readonly string[])[] | undefined;
  return () =>
    (answers ??= run(shell, [...how, script, ...args], { TERM: "dumb" })
      .split(`${endOfOffers}\n`)
      .map(lines));
}

describe("bash", () => {
  /** As readline does: words end at blanks, and at : and = unless in quotes. */
  const wordsOf = (line: string) => [
    ...(line.match(/"[^"]*"?|[:=]+|[^\s:="]+/g) ?? []),
    ...(line.endsWith(" ") ? [""] : []),
  ];
  const quoted = (word: string) => `'${word}'`;
  const asking = typed.map(([, line]) => `ask ${[line, ...wordsOf(line)].map(quoted).join(" ")}`);
  const offers = inOneShell(
    "bash",
    ["--norc", "-c"],
    `source <(tierwall completion bash)
     compopt() { :; }  # Only readline may call it.
     completer=$(complete -p tierwall | sed 's/.*-F \\([^ ]*\\).*/\\1/')
     ask() {
       COMP_LINE=$1 COMP_POINT=\${#1}; shift
       COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
       $completer
       printf '%s\\n' "\${COMPREPLY[@]}" ${endOfOffers}
     }
     ${asking.join("\n")}`,
  );
  it.each(typed)("completes %s: %s", (_what, line, expected) => {
    // Readline keeps what is before the last : or =.
    const kept = /^.*[:=]/.exec(line.split(" ").at(-1)!)?.[0] ?? "";
    expect(offers()[lineNumber(line)]!.map((offer) => `${kept}${offer}`)).toEqual(expected);
  });
});

describe.skipIf(missing("fish"))("fish", onlyInFull, () => {
  const offers = inOneShell(
    "fish",
    ["--no-config", "-c"],
    `tierwall completion fish | source
     for line in $argv; complete --do-complete $line; echo ${endOfOffers}; end`,
    typed.map(([, line]) => line),
  );
  it.each(typed)("completes %s: %s", (_what, line, expected) => {
    const values = offers()[lineNumber(line)]!.map((offer) => offer.split("\t")[0]!);
    // Folders come with a slash.
    expect(values.map((value) => value.replace(/^cluster\/$/, "cluster"))).toEqual(expected);
  });
});

describe.skipIf(missing("zsh"))("zsh", onlyInFull, () => {
  /** The line, with as much behind it as all of the offers share. */
  const completions = [
    ["a command", "tierwall expl", "tierwall explain "],
    ["an option", "tierwall validate --recur", "tierwall validate --recursive "],
    ["a choice", "tierwall validate -o j", "tierwall validate -o json "],
    ["a choice behind =", "tierwall validate --output=j", "tierwall validate --output=json "],
    [
      "a namespace, with no blank behind it",
      "tierwall explain -f cluster --to sh",
      "tierwall explain -f cluster --to shop/",
    ],
    ["pods", "tierwall explain -f cluster --to shop/c", "tierwall explain -f cluster --to shop/ca"],
    [
      "a port behind a colon",
      "tierwall explain -f cluster --to shop/cart:80",
      "tierwall explain -f cluster --to shop/cart:8080/TCP ",
    ],
    [
      "a pod in quotes",
      'tierwall explain -f "cluster" --to "shop/car',
      'tierwall explain -f "cluster" --to "shop/cart" ',
    ],
    ["files", "tierwall validate -f clut", "tierwall validate -f clutter.txt "],
    ["a file behind =", "tierwall validate --filename=clut", "tierwall validate --filename=clutter.txt "],
    ["nothing", "tierwall tour ", "tierwall tour "],
  ] as const;
  /** In a terminal of its own, types a line, the key that completes, and one that shows the line. */
  const shown = inOneShell(
    "zsh",
    ["-f", "-c"],
    `zmodload zsh/zpty
     zpty shell zsh -f -i
     zpty -w shell 'PS1= PS2=; unsetopt beep; autoload -U compinit; compinit -u -D; source <(tierwall completion zsh)'
     zpty -w shell 'show() { print -r -- "<<<$BUFFER>>>"; BUFFER= }; zle -N show; bindkey "^X" show; print RE""ADY'
     zpty -r shell ready '*READY*'
     for line in "$@"; do
       zpty -w -n shell "$line"$'\\t\\x18'
       zpty -r shell answer '*>>>*'
       print -r -- \${\${answer##*<<<}%%>>>*}$'\\n'${endOfOffers}
     done`,
    ["zsh", ...completions.map(([, line]) => line)],
  );
  it.each(completions)("completes %s: %s", (_what, line, expected) => {
    expect(shown()[completions.findIndex(([, one]) => one === line)]).toEqual([expected]);
  });
});

describe.skipIf(missing("kubectl"))("kubectl", () => {
  it("runs the plugin, whose help names itself as the user does", () => {
    const help = run("kubectl", ["tierwall", "explain", "--help"]);
    expect(help).toContain("Usage: kubectl tierwall explain [options]");
    expect(help).toContain("\n  kubectl tierwall explain -f ./cluster ");
    expect(help).not.toMatch(/^ {2}tierwall/m);
  });

  it("passes arguments and the exit status on", () => {
    const { status, stdout } = spawnSync("kubectl", ["tierwall", "validate", "-f", "nowhere"], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([2, expect.stringContaining("`nowhere` cannot be read")]);
  });

  it.each([
    ["a command", "tierwall expl", ["explain"]],
    ["pods", "tierwall explain -f cluster --from shop/ca", ["shop/cart", "shop/cat"]],
  ])("asks the plugin to complete %s: %s", (_what, line, expected) => {
    const { stdout } = spawnSync("kubectl", ["__complete", ...line.split(" ")], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    const [...offers] = lines(stdout);
    expect([offers.pop(), offers.map((offer) => offer.split("\t")[0])]).toEqual([":4", expected]);
  });
});

describe("a script", () => {
  it.each(["bash", "zsh", "fish"])("of %s goes to stdout, and nothing else does", (shell) => {
    const { status, stdout, stderr } = spawnSync("tierwall", ["completion", shell], {
      env,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`Completion of tierwall for ${shell}`));
  });

  it("is refused for a shell that is not known", () => {
    const { status, stdout, stderr } = spawnSync("tierwall", ["completion", "csh"], {
      env,
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("bash, zsh, fish");
  });
});
