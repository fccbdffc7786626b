import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "@tierwall/core/manifest";
import {
  chartFiles,
  cleanupText,
  installText,
  kustomizeFiles,
  makeFolder,
  type Part,
  parts,
  problemWith,
  type SettingPath,
  settingPaths,
  settings,
  systemNamespace,
  usualValues,
  type Values,
} from "@tierwall/kube";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parse } from "yaml";
import { collectWith } from "../input/state.js";
import { printWhole, printMessage } from "../output/terminal.js";
import { version } from "../version.js";

interface ManifestsFlags {
  readonly format: "yaml" | "kustomize" | "helm";
  readonly component?: readonly Part[];
  readonly cleanup?: true;
  readonly set?: readonly (readonly [SettingPath, Json])[];
  readonly namespace: string;
  readonly outputDir?: string;
}

export function addManifests(program: Command, finish: (status: number) => void): void {
  program
    .command("manifests")
    .summary("print the manifests that install Tierwall in a cluster")
    .description(
      "Prints the objects that install Tierwall in a cluster: roles, the controller with its webhook, and the " +
        "agents. As one file for `kubectl apply`, or as the files of a kustomization or a Helm chart. CRDs are printed " +
        "only by `--component crds`: deleting a CRD deletes all policies of its kind.",
    )
    .addOption(
      new Option("--format <format>", "what to print").choices(["yaml", "kustomize", "helm"]).default("yaml"),
    )
    .option(
      "--component <part>",
      `only ${parts.join(", ")} (repeatable)`,
      collectWith((text: string) => partCalled(text)),
    )
    .option(
      "--set <setting=value>",
      "a value to change, as in the chart's values.yaml (repeatable)",
      collectWith((text: string) => assignment(text), betweenSettings),
    )
    .addOption(
      new Option(
        "--cleanup",
        "print the manifests that stop the agents and remove their rules from all nodes, before or after the rest is deleted",
      ).conflicts(["component", "format", "outputDir"]),
    )
    .option("--namespace <name>", "the namespace of the controller and the agents", systemNamespace)
    .option("--output-dir <folder>", "write the files of a kustomization or a chart there")
    .addHelpText(
      "after",
      `
Settings:
${settingLines()}

Examples:
  # Install everything
  tierwall manifests --component crds | kubectl apply --server-side -f -
  tierwall manifests | kubectl apply --server-side -f -

  # The first step: deny nothing yet, but count and log what would be denied
  tierwall manifests --set agent.mode=shadow | kubectl apply --server-side -f -

  # Without agents
  tierwall manifests --set agent.enabled=false > tierwall.yaml

  # Remove it again: first the rules in the kernels of the nodes, then everything except for the policies
  tierwall manifests --cleanup | kubectl apply --server-side -f -
  kubectl -n tierwall-system wait --for=condition=complete job/tierwall-cleanup --timeout=5m
  tierwall manifests | kubectl delete -f -

  # Use it as a base of your own
  tierwall manifests --format kustomize --output-dir base/
  tierwall manifests --format helm --output-dir chart/

docs/how-to/install.md has more.
Exit status: 0 when it was printed, 2 when an option is invalid.`,
    )
    .action((flags: ManifestsFlags) => finish(runManifests(flags)));
}

function runManifests(flags: ManifestsFlags): number {
  const { format, component, cleanup, set = [], namespace, outputDir } = flags;
  const values: Values = { ...usualValues, ...Object.fromEntries(set) };
  if (cleanup) {
    printWhole(cleanupText({ values, namespace }));
    return 0;
  }
  const options = { values, namespace, ...(component === undefined ? {} : { parts: component }) };
  if (format === "yaml" && outputDir === undefined) {
    printWhole(installText(options));
    return 0;
  }
  if (format === "helm" && (set.length > 0 || component !== undefined)) {
    printMessage("a chart has all settings in it: give --set to helm instead");
    return 2;
  }
  const files = {
    yaml: () => ({ "install.yaml": installText(options) }),
    kustomize: () => kustomizeFiles(options),
    helm: () => chartFiles(version),
  }[format]();
  if (outputDir === undefined) {
    printMessage(`--format ${format} makes several files: say where with --output-dir`);
    return 2;
  }
  return write(outputDir, files);
}

function write(folder: string, files: Readonly<Record<string, string>>): number {
  try {
    for (const [file, text] of Object.entries(files)) {
      const path = join(folder, file);
      makeFolder(dirname(path));
      writeFileSync(path, text);
    }
  } catch (cause) {
    printMessage(
      `\`${folder}\` cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
    return 2;
  }
  printMessage(`wrote ${Object.keys(files).length} files to ${folder}`);
  return 0;
}

function partCalled(text: string): Part {
  const found = parts.find((part) => part === text);
  if (found === undefined) throw new InvalidArgumentError(`there are ${parts.join(", ")}`);
  return found;
}

/** A comma that another setting follows. Lists and objects have commas of their own. */
const betweenSettings = /,(?=\s*[a-z]+(?:\.[a-z]+)*=)/i;

function assignment(text: string): readonly [SettingPath, Json] {
  const [, name, written] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const path = settingPaths.find((one) => one === name);
  if (written === undefined)
    throw new InvalidArgumentError("it takes a setting and a value: agent.enabled=false");
  if (path === undefined)
    throw new InvalidArgumentError(`there is no setting \`${name}\`; --help lists them`);
  const value = valueIn(path, written);
  const problem = problemWith(path, value);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return [path, value];
}

/** Texts need no quotes; everything else is YAML. */
function valueIn(path: SettingPath, written: string): Json {
  const { is } = settings[path];
  if (is === "text" || is === "name") return written;
  try {
    return parse(written) as Json;
  } catch {
    return written;
  }
}

function settingLines(): string {
  const width = Math.max(...settingPaths.map((path) => path.length));
  return settingPaths.map((path) => `  ${path.padEnd(width)}  ${settings[path].about}`).join("\n");
}
