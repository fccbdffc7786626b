import { stringify } from "yaml";
import { version } from "../version.js";
import { type Installation, unknownRepository } from "./installation.js";

/** A file to write, and what it is, in a few words. */
export interface InitFile {
  readonly path: string;
  readonly text: string;
  readonly what: string;
}

export const configPath = "tierwall.yaml";
export const testPath = "connectivity-test.yaml";

export type Ci = "github" | "gitlab";

/** tierwall.yaml with the options that `init` was given. */
export function configText(settings: Readonly<Record<string, readonly string[] | boolean>>): string {
  const header =
    "# Default options of `tierwall`, in this folder and its subfolders.\n" +
    "# For example, the ranges of your cluster: podCidr: 10.244.0.0/16, serviceCidr: 10.96.0.0/12\n";
  const entries = Object.entries(settings).map(([key, value]) => [
    key,
    typeof value !== "boolean" && value.length === 1 && key !== "filename" ? value[0] : value,
  ]);
  return entries.length === 0
    ? header
    : `${header}${stringify(Object.fromEntries(entries), { lineWidth: 0 })}`;
}

/** What a CI job needs to know. */
export interface CiJob {
  /** Where the manifests are in the repository; empty for its root. */
  readonly folder: string;
  readonly hasTest: boolean;
  readonly installation: Installation;
}

const lintNote = "Findings do not fail the job; remove --max-severity to make warnings fail it.";
const header = "# Checks the network policies of this repository. Written by `tierwall init`.";

/** Paths are relative to the root of the repository. */
export const ciFile = (ci: Ci, job: CiJob): InitFile =>
  ci === "github"
    ? { path: ".github/workflows/tierwall.yaml", text: githubText(job), what: "a GitHub Actions workflow" }
    : { path: ".gitlab/tierwall.gitlab-ci.yml", text: gitlabText(job), what: "a GitLab CI job" };

/** The version of Tierwall that a job uses, as variables. */
function sourceVariables(installation: Installation): readonly string[] {
  if (installation.from === "npm") return [];
  const { repository, commit } = installation;
  return [
    "# Tierwall is built from this commit. To use a release, install it with npm instead:",
    `# npm install --global tierwall@${version}`,
    ...(repository === undefined ? ["# Change this URL to that of a repository with this commit."] : []),
    `TIERWALL_REPOSITORY: ${JSON.stringify(repository ?? unknownRepository)}`,
    `TIERWALL_COMMIT: ${JSON.stringify(commit)}`,
  ];
}

const indented = (spaces: number, lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${" ".repeat(spaces)}${line}`);

function githubText({ folder, hasTest, installation }: CiJob): string {
  const isRelease = installation.from === "npm";
  const lines = [
    header,
    "name: tierwall",
    "on:",
    "  pull_request:",
    "  push:",
    "permissions:",
    "  contents: read",
    "jobs:",
    "  network-policies:",
    "    runs-on: ubuntu-latest",
    ...(isRelease ? [] : ["    env:", ...indented(6, sourceVariables(installation))]),
    ...(folder === ""
      ? []
      : ["    defaults:", "      run:", `        working-directory: ${JSON.stringify(folder)}`]),
    "    steps:",
    "      - uses: actions/checkout@v4",
    "      - uses: actions/setup-node@v4",
    "        with:",
    "          node-version: 22",
    ...(isRelease
      ? [`      - run: npm install --global tierwall@${installation.version}`]
      : [
          "      - name: Install Tierwall",
          "        run: |",
          ...indented(10, [
            'cd "$RUNNER_TEMP"',
            'git clone --quiet "$TIERWALL_REPOSITORY" tierwall',
            "cd tierwall",
            'git checkout --quiet "$TIERWALL_COMMIT"',
            "npm run build",
            'echo "$PWD/node_modules/.bin" >> "$GITHUB_PATH"',
          ]),
        ]),
    "      - run: tierwall validate",
    `      # ${lintNote}`,
    "      - run: tierwall lint -o github --max-severity error",
    ...(hasTest ? [`      - run: tierwall test ${testPath}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function gitlabText({ folder, hasTest, installation }: CiJob): string {
  const isRelease = installation.from === "npm";
  const source = "/tmp/tierwall";
  const lines = [
    header,
    "# In .gitlab-ci.yml: include: [{local: .gitlab/tierwall.gitlab-ci.yml}]",
    "network-policies:",
    "  image: node:22",
    ...(isRelease ? [] : ["  variables:", ...indented(4, sourceVariables(installation))]),
    "  script:",
    ...(isRelease
      ? [`    - npm install --global tierwall@${installation.version}`]
      : indented(4, [
          `- git clone --quiet "$TIERWALL_REPOSITORY" ${source}`,
          `- git -C ${source} checkout --quiet "$TIERWALL_COMMIT"`,
          `- (cd ${source} && npm run build)`,
          `- export PATH="${source}/node_modules/.bin:$PATH"`,
        ])),
    ...(folder === "" ? [] : [`    - ${JSON.stringify(`cd '${folder.replaceAll("'", String.raw`'\''`)}'`)}`]),
    "    - tierwall validate",
    `    # ${lintNote}`,
    "    - tierwall lint --max-severity error",
    ...(hasTest ? [`    - tierwall test ${testPath}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}
