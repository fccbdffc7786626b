import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { makeFolder } from "@tierwall/kube";
import { type Command, Option } from "commander";
import { configurable } from "../config/config-schema.js";
import { configFile } from "../config/with-config.js";
import {
  isLive,
  isUsable,
  type Loaded,
  loadState,
  type StateFlags,
  withAnswerFlags,
} from "../input/state.js";
import { print, printMessage, printText, styleFor } from "../output/terminal.js";
import { type Assertion, firstAssertions, holding, testText } from "./first-test.js";
import { ownInstallation } from "./installation.js";
import { type Ci, ciFile, configPath, configText, type InitFile, testPath } from "./init-files.js";
import { manifestFolders, repositoryOf } from "./manifest-folders.js";

interface InitFlags extends StateFlags {
  readonly ci?: Ci | "none";
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** Options that are about this run, and do not go into tierwall.yaml. */
const ownOptions: ReadonlySet<string> = new Set(
  "filename recursive live verbose keepGoing ci force dryRun".split(" "),
);

export function addInit(program: Command, finish: (status: number) => void): void {
  const command = withAnswerFlags(
    program
      .command("init")
      .summary("write tierwall.yaml, a first test and a CI job")
      .description(
        "Writes three files to the current folder: tierwall.yaml with default options, connectivity-test.yaml with a " +
          "few assertions that hold now, and a CI job that runs validate, lint and test.\n\n" +
          "Reads the manifests of the current folder and its subfolders, or those of -f. If there are none, or with " +
          "--context or --live, it reads the cluster, and writes no CI job. Existing files are kept.",
      ),
  )
    .addOption(
      new Option(
        "--ci <system>",
        "the CI system (default: github, or gitlab if there is a .gitlab-ci.yml)",
      ).choices(["github", "gitlab", "none"]),
    )
    .option("--force", "overwrite the test and the CI job if they exist")
    .option("--dry-run", "print the files instead of writing them")
    .addHelpText(
      "after",
      `
Examples:
  # In the folder of your manifests
  tierwall init

  # See what it would write
  tierwall init --dry-run

  # Manifests in two folders, and a GitLab pipeline
  tierwall init -f cluster -f policies --ci gitlab

  # A first test of a live cluster
  tierwall init --context prod

Exit status: 0 when the files were written or kept, 2 when something cannot be read or written.`,
    );
  const settings = typedSettings(command);
  command.action(async (flags: InitFlags) => finish(await runInit(program, command, flags, settings())));
}

/** The options of a command line as texts, for tierwall.yaml. */
function typedSettings(command: Command): () => Readonly<Record<string, readonly string[] | boolean>> {
  const typed = new Map<string, string[]>();
  for (const option of configurable(command)) {
    const key = option.attributeName();
    if (ownOptions.has(key)) continue;
    command.on(`option:${option.name()}`, (value: string) =>
      typed.set(key, [...(typed.get(key) ?? []), value]),
    );
  }
  return () => Object.fromEntries(typed);
}

async function runInit(
  program: Command,
  command: Command,
  flags: InitFlags,
  settings: Readonly<Record<string, readonly string[] | boolean>>,
): Promise<number> {
  const folder = process.cwd();
  const namesCluster = ["context", "kubeconfig", "live"].some(
    (name) => command.getOptionValue(name) !== undefined,
  );
  const paths = flags.filename ?? (namesCluster ? [] : manifestFolders(folder));
  const problem = wrongUse(paths, flags);
  if (problem !== undefined) {
    printMessage(problem);
    return 2;
  }
  const reading: InitFlags = { ...flags, filename: paths, recursive: true };
  const live = isLive(reading);
  if (live && !namesCluster)
    printMessage(
      "This folder has no manifests (.yaml, .yml, .json), so the cluster is read; -f names other folders.",
    );
  const loaded = await loadState(reading);
  if (!isUsable(loaded, flags.verbose)) {
    printMessage("No file was written. Fix the errors and run `tierwall init` again.");
    return 2;
  }
  const assertions = holding(loaded.state, firstAssertions(loaded.state));
  const files = filesFor({ folder, live, paths, flags, assertions, settings, config: configFile(program) });
  return flags.dryRun === true ? show(files) : write(files, loaded, assertions, flags.force ?? false);
}

function wrongUse(paths: readonly string[], { live, ci }: InitFlags): string | undefined {
  if (paths.includes("-"))
    return "standard input cannot be read again later; save it to a file, and name the file with -f";
  if (live === true && paths.length > 0)
    return "init reads files or a cluster, not both; leave out -f or --live";
  if (paths.length === 0 && ci !== undefined && ci !== "none")
    return (
      "a CI job needs files, because it cannot read your cluster; save a snapshot with `tierwall snapshot -o " +
      "cluster.json.gz`, and run `tierwall init -f cluster.json.gz`"
    );
  return undefined;
}

interface Plan {
  readonly folder: string;
  readonly live: boolean;
  readonly paths: readonly string[];
  readonly flags: InitFlags;
  readonly assertions: readonly Assertion[];
  readonly settings: Readonly<Record<string, readonly string[] | boolean>>;
  /** The tierwall.yaml in use. */
  readonly config: string | undefined;
}

/** A file, and whether it is in use already and must stay. */
interface PlannedFile extends InitFile {
  readonly inUse?: true;
}

function filesFor({
  folder,
  live,
  paths,
  flags,
  assertions,
  settings,
  config,
}: Plan): readonly PlannedFile[] {
  const root = repositoryOf(folder);
  const isGitlab = existsSync(join(root, ".gitlab-ci.yml"));
  const ci = flags.ci ?? (live ? "none" : isGitlab ? "gitlab" : "github");
  const files: PlannedFile[] = [
    config === undefined
      ? {
          path: configPath,
          text: configText(live ? settings : { filename: paths, recursive: true, ...settings }),
          what: "default options",
        }
      : { path: config, text: "", what: "default options", inUse: true },
  ];
  if (assertions.length > 0)
    files.push({
      path: testPath,
      text: testText(assertions, live ? [] : paths, testComment(assertions)),
      what: `${assertions.length} ${assertions.length === 1 ? "assertion that holds" : "assertions that hold"} now`,
    });
  if (ci === "none") return files;
  const job = ciFile(ci, {
    folder: relative(root, folder),
    hasTest: assertions.length > 0,
    installation: ownInstallation(),
  });
  return [...files, { ...job, path: join(relative(folder, root), job.path) }];
}

function testComment(assertions: readonly Assertion[]): string {
  const [first] = assertions;
  const lines =
    first?.decidedBy === "default"
      ? [
          " No policy decides any connection yet, so everything is allowed. These lines fail as soon as",
          " a policy denies them: replace them by what you want to hold.",
        ]
      : [
          " These connections have these verdicts now. Keep the lines that must stay true, delete the others,",
          " and add your own. `tierwall explain FROM TO` shows why a verdict is what it is.",
        ];
  return lines.join("\n");
}

/** What would be written, as it would be. */
function show(files: readonly PlannedFile[]): number {
  const style = styleFor(process.stdout);
  const written = files.filter(({ inUse }) => inUse !== true);
  print(
    written
      .map(({ path, text }) => `${style.bold(`# ${path}`)}\n${text}`)
      .join("\n")
      .trimEnd(),
  );
  printMessage("", "Nothing was written (--dry-run).");
  return 0;
}

function write(
  files: readonly PlannedFile[],
  { state, live, sources }: Loaded,
  assertions: readonly Assertion[],
  force: boolean,
): number {
  const read = live ? "the cluster" : `${sources.length} ${sources.length === 1 ? "file" : "files"}`;
  const [policies, pods] = [state.policies.length, state.cluster.pods.size];
  print(`Read ${read}: ${count(policies, "policy", "policies")}, ${count(pods, "pod", "pods")}.\n`);
  const width = Math.max(...files.map(({ path }) => path.length));
  for (const { path, text, what, inUse } of files) {
    const isKept = inUse === true || (existsSync(path) && !force);
    if (!isKept && !wasWritten(path, text)) return 2;
    const note = inUse === true ? "in use" : isKept ? "it exists; --force overwrites it" : what;
    print(`  ${isKept ? "kept " : "wrote"}  ${path.padEnd(width)}  ${note}`);
  }
  printText(`\n${nextSteps(files, assertions, live).join("\n")}`);
  return 0;
}

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

function wasWritten(path: string, text: string): boolean {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, text);
    return true;
  } catch (cause) {
    printMessage(`\`${path}\` cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`);
    return false;
  }
}

function nextSteps(
  files: readonly InitFile[],
  assertions: readonly Assertion[],
  live: boolean,
): readonly string[] {
  const fromSource = files.find(({ text }) => text.includes("TIERWALL_REPOSITORY:"))?.path;
  const hasGitlab = files.some(({ path }) => path.endsWith(".gitlab-ci.yml"));
  if (assertions.length === 0)
    return [
      "No test was written: the input has no pods, and no policy that selects any. Add a",
      "workload or a policy, and run `tierwall init` again.",
    ];
  const steps = [
    `Read ${testPath}, and keep the lines that must stay true.`,
    `Run it: tierwall test ${testPath}`,
    ...(fromSource === undefined ? [] : [`Check TIERWALL_REPOSITORY in ${fromSource}.`]),
    ...(hasGitlab ? ["Add to .gitlab-ci.yml: include: [{local: .gitlab/tierwall.gitlab-ci.yml}]"] : []),
    ...(live ? [] : ["Commit the files."]),
  ];
  return [
    "Next:",
    ...steps.map((step, i) => `  ${i + 1}. ${step}`),
    ...(live
      ? [
          "",
          "For CI, save a snapshot of the cluster (tierwall snapshot -o cluster.json.gz), and",
          "run tierwall init -f cluster.json.gz --force.",
        ]
      : []),
  ];
}
