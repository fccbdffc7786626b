import { stringify } from "yaml";
import { version } from "../version.js";

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

/** What a CI job runs: commands of the release that wrote it. */
interface CiJob {
  /** Where the manifests are in the repository; empty for its root. */
  readonly folder: string;
  readonly hasTest: boolean;
}

const npx = `npx --yes tierwall@${version}`;
const lintNote = "Findings do not fail the job; remove --max-severity to make warnings fail it.";

/** Paths are relative to the root of the repository. */
export const ciFile = (ci: Ci, job: CiJob): InitFile =>
  ci === "github"
    ? { path: ".github/workflows/tierwall.yaml", text: githubText(job), what: "a GitHub Actions workflow" }
    : { path: ".gitlab/tierwall.gitlab-ci.yml", text: gitlabText(job), what: "a GitLab CI job" };

function githubText({ folder, hasTest }: CiJob): string {
  const lines = [
    "# Checks the network policies of this repository. Written by `tierwall init`.",
    "name: tierwall",
    "on:",
    "  pull_request:",
    "  push:",
    "permissions:",
    "  contents: read",
    "jobs:",
    "  network-policies:",
    "    runs-on: ubuntu-latest",
    ...(folder === ""
      ? []
      : ["    defaults:", "      run:", `        working-directory: ${JSON.stringify(folder)}`]),
    "    steps:",
    "      - uses: actions/checkout@v4",
    "      - uses: actions/setup-node@v4",
    "        with:",
    "          node-version: 22",
    `      - run: ${npx} validate`,
    `      # ${lintNote}`,
    `      - run: ${npx} lint -o github --max-severity error`,
    ...(hasTest ? [`      - run: ${npx} test ${testPath}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function gitlabText({ folder, hasTest }: CiJob): string {
  const lines = [
    "# Checks the network policies of this repository. Written by `tierwall init`.",
    "# In .gitlab-ci.yml: include: [{local: .gitlab/tierwall.gitlab-ci.yml}]",
    "network-policies:",
    "  image: node:22",
    "  script:",
    ...(folder === "" ? [] : [`    - ${JSON.stringify(`cd '${folder.replaceAll("'", String.raw`'\''`)}'`)}`]),
    `    - ${npx} validate`,
    `    # ${lintNote}`,
    `    - ${npx} lint --max-severity error`,
    ...(hasTest ? [`    - ${npx} test ${testPath}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}
