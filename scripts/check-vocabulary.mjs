// Fails when a file uses a phrase that plain technical English avoids. `phrases` has the phrases and what to write
// instead, `excluded` the files that are not checked, `allowed` the exceptions in files that are.
//
//   node scripts/check-vocabulary.mjs                      checks all files except those of `excluded`
//   node scripts/check-vocabulary.mjs 'packages/**'        checks these files, also excluded ones (globs of git)
//   node scripts/check-vocabulary.mjs --count 'test/**'    counts the hits per folder, and always succeeds

import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { parseArgs } from "node:util";
import { isMain, root, run } from "./prepare.mjs";

/** Files that are not checked, and why. Everything else is: pages, manifests, messages, comments and identifiers. */
const excluded = [
  { files: "scripts/check-vocabulary.mjs", reason: "lists the phrases" },
  { files: "scripts/check-vocabulary.test.ts", reason: "has examples of the phrases" },
];

/** A space matches any white space and the marks of a wrapped comment. Case is ignored. */
export const phrases = [
  { phrase: "in vain|good for nothing", instead: "unused; has no effect" },
  {
    phrase: "(?:have|has|had) (?:a|no) say|(?:have|has) (?:something|nothing) to say",
    instead: "applies to; decides",
  },
  { phrase: "hang(?:s|ing)? on|hung on", instead: "depends on" },
  {
    phrase: "(?:speak|speaks|spoke|speaking) (?:of|against|for|about)",
    instead: "mentions; denies; is about",
  },
  { phrase: "(?:say|says|said) (?:something|nothing) of", instead: "mentions" },
  { phrase: "in the shadow of", instead: "shadowed by" },
  { phrase: "but for", instead: "except for" },
  { phrase: "talk (?:to|on|goes to) stderr|and talk to", instead: "messages to stderr" },
  {
    phrase:
      "(?:one|a) (?:folder|file|lease|line|text|turn|policy|commit|change|layer|machine|token|package) an? " +
      "(?:api|node|line|step|subcommand|machine|kind|commit|second|operation|pod|rule|policy)",
    instead: "one … per …",
  },
  {
    phrase: "(?:one|an object|a step|a layer) a (?:kind|line|step|second|time each|node|pod)",
    instead: "one per …",
  },
  { phrase: "stands? twice", instead: "is a duplicate" },
  {
    phrase: "stands? (?:in|at|beside|on|below|behind|there|alone|before|above|first|here|next to|around)",
    instead: "is in; is at; appears",
  },
  {
    phrase: "nobody|somebody|anybody|everybody|whoever|whomever|(?<!who can reach )whom",
    instead: "name the actor: the user, a client",
  },
  { phrase: "pairs? of ends|both ends|two ends|either end", instead: "endpoints; connections" },
  { phrase: "opened above|in the stack|why today", instead: "overridden by a higher tier; show in Policies" },
  { phrase: "mend(?:s|ed|ing)?", instead: "fix" },
  { phrase: "tells?|told|telling", instead: "reports, shows, says; distinguishes" },
  { phrase: "lies|lie in", instead: "is in; is wrong" },
  { phrase: "(?:hold|holds|held|holding)(?: \\S+){0,6} against", instead: "compares … with" },
  { phrase: "shall", instead: "must; will" },
  { phrase: "beside", instead: "next to; in addition to; besides" },
  { phrase: "(?:is|are|be) through with|looks? away", instead: "has finished; ignores" },
  { phrase: "all the same", instead: "anyway; still" },
  { phrase: "anew", instead: "again" },
  { phrase: "in one go", instead: "at once; in one step" },
  { phrase: "(?:is|are|was|be) away", instead: "is unavailable; is not running" },
  { phrase: "(?:of|by) its own accord|by themselves", instead: "automatically" },
  { phrase: "of ours", instead: "of Tierwall" },
  { phrase: "as it stands|as they stand", instead: "as it is" },
  { phrase: "to be had|look out for|see to it|seen to it", instead: "available; watch for" },
  { phrase: "stirs?|belt to those|keeps its hands off|let go of", instead: "no metaphors" },
  { phrase: "says so twice|and says so too|says? so by itself", instead: "reports it" },
  { phrase: "among each other|each with its turn", instead: "with each other" },
  { phrase: "what is none|that is none|when it is none|that are none", instead: "that is invalid" },
  { phrase: "no two who|who may change it|those who|all who", instead: "users that; anyone who" },
  { phrase: "(?:can|may|cannot|could) talk|talks? (?:to|with)", instead: "connects to" },
  { phrase: "lets? through|(?:is|are|was|were) let (?:in|through)", instead: "allows; forwards" },
  { phrase: "stands? for", instead: "represents; matches; means" },
  { phrase: "fulfils?|fulfilled", instead: "satisfies; matches" },
  { phrase: "what is not known", instead: "missing information; unknown facts" },
  { phrase: "none of (?:our|its|their|your) business|as if absent", instead: "is ignored" },
  { phrase: "(?:for|take|takes|taken) granted|taken (?:not )?to (?:be|have|match)", instead: "assumed" },
  { phrase: "(?:and|or) (?:says|said|say) so", instead: "and reports it" },
  { phrase: "without a word", instead: "silently" },
  { phrase: "at hand", instead: "leave it out" },
  { phrase: "lest", instead: "so that … not" },
  { phrase: "slips?|misspelt|spelt", instead: "mistake; misspelled" },
  { phrase: "(?<!there )is no (?:error|mistake|text|list|end|endpoint|policy|part)", instead: "is not a …" },
];

/** Exceptions: a phrase in some files, and why it may stay there. */
const allowed = [
  { files: /\.tsx?$/, phrase: /^can talk$/, reason: "canTalk is a function of the engine" },
  { files: /^docs\/explanation\/threat-model\.md$/, phrase: /^told$/, reason: "the name of a test" },
  {
    files: /^examples\/.*\.yaml$/,
    phrase: /^nobody$/,
    reason: "names of rules, which pages and tests quote",
  },
  {
    files: /^docs\/(explanation\/)?performance\.md$/,
    phrase: /./,
    reason: "written by `npm run bench` from bench/src/report",
  },
];

const gap = String.raw`(?:\s|\/\/|\*|#)+`;
const patterns = phrases.map(({ phrase, instead }) => ({
  pattern: new RegExp(String.raw`\b(?:${phrase.replaceAll(" ", gap)})\b`, "gi"),
  instead,
}));

/**
 * @param {string} file its path, which decides what of the text is prose
 * @param {string} text
 * @returns {{line: number, found: string, instead: string}[]}
 */
export function oddPhrases(file, text) {
  const prose = proseOf(file, text);
  return patterns
    .flatMap(({ pattern, instead }) =>
      [...prose.matchAll(pattern)].map((match) => ({
        line: prose.slice(0, match.index).split("\n").length,
        found: match[0].replace(/\s+/g, " ").toLowerCase(),
        instead,
      })),
    )
    .filter(({ found }) => !allowed.some((one) => one.files.test(file) && one.phrase.test(found)))
    .toSorted((a, b) => a.line - b.line);
}

/** The same number of lines as the text, so that places stay right. */
function proseOf(file, text) {
  switch (extname(file)) {
    case ".md":
      // Generated pages and the titles of diagnostics come from code, and blocks show what commands print: the code is checked.
      if (text.startsWith("<!-- Written by `npm run generate`")) return "";
      return withoutBlocks(text)
        .replace(/^# TW\d+: .*/, "")
        .replace(/`[^`\n]*`/g, "`")
        .replace(/\]\([^)\n]*\)/g, "]");
    case ".ts":
    case ".tsx":
    case ".mjs":
      return text.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ");
    case ".yaml":
    case ".yml":
    case ".json":
    case ".css":
    case ".html":
      return text;
    default:
      return "";
  }
}

/** Fenced blocks, and indented ones, which begin after an empty line outside of a list. */
function withoutBlocks(text) {
  let fence;
  let before = "";
  let inBlock = false;
  let inList = false;
  return text
    .split("\n")
    .map((line) => {
      const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
      if (fence !== undefined) {
        if (mark === fence) fence = undefined;
        return "";
      }
      if (mark !== undefined) {
        fence = mark;
        return "";
      }
      if (/^(?:[-*]|\d+\.) /.test(line)) inList = true;
      else if (/^\S/.test(line)) inList = false;
      inBlock = line.startsWith("    ") && !inList && (inBlock || before === "");
      before = line.trim();
      return inBlock ? "" : line;
    })
    .join("\n");
}

/** New files count before they are added; ignored ones never do. */
function filesOf(specs) {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...specs];
  const { status, stdout, stderr } = run("git", args);
  if (status !== 0) throw new Error(`cannot list the files to check: ${stderr}`);
  // A file deleted but not yet committed is still listed.
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
}

/** `a/{b,c}/**` as `a/b/**` and `a/c/**`: git knows no braces. */
function withoutBraces(glob) {
  const [whole, choices] = /\{(.*?)\}/.exec(glob) ?? [];
  return choices === undefined ? [glob] : choices.split(",").map((choice) => glob.replace(whole, choice));
}

function countByFolder(hits) {
  const counts = new Map();
  for (const { file } of hits) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

if (isMain(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { count: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const files = filesOf(
    positionals.length > 0
      ? positionals.map((glob) => `:(glob)${glob}`)
      : excluded.flatMap(({ files }) => withoutBraces(files)).map((glob) => `:(exclude,glob)${glob}`),
  );
  const hits = files.flatMap((file) =>
    oddPhrases(file, readFileSync(join(root, file), "utf8")).map((hit) => ({ file, ...hit })),
  );
  if (values.count) {
    for (const [folder, count] of countByFolder(hits)) console.log(`${String(count).padStart(6)}  ${folder}`);
    console.log(`${String(hits.length).padStart(6)}  in ${files.length} files`);
  } else {
    for (const { file, line, found, instead } of hits)
      console.log(`${file}:${line}  \`${found}\`: write instead: ${instead}`);
    process.exitCode = hits.length > 0 ? 1 : 0;
  }
}
