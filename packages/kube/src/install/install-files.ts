import type { JsonObject } from "@tierwall/core/manifest";
import { chartFiles } from "./chart.js";
import { cleanupObjects } from "./cleanup.js";
import { installObjects, type InstallOptions, usualParts } from "./install.js";
import { yamlText } from "./manifest-text.js";
import { systemNamespace } from "../controller/programmed-report.js";
import { settings } from "./settings.js";

/** Everything but the definitions, in one file. */
export const installText = (options?: InstallOptions): string => yamlText(installObjects(options));

/** What is applied before the rest is deleted, or after it. */
export const cleanupText = (options?: Omit<InstallOptions, "parts">): string =>
  yamlText(cleanupObjects(options));

/** A file for each part, and one that names them: what `kubectl apply -k` takes. */
export function kustomizeFiles(options: InstallOptions = {}): Readonly<Record<string, string>> {
  const { namespace = systemNamespace, parts: wanted = usualParts, ...rest } = options;
  const all = installObjects({ ...options, parts: wanted });
  const own = all.filter(({ kind }) => kind === "Namespace");
  const files = wanted.flatMap((part) => {
    const objects = installObjects({ ...rest, namespace, parts: [part] }).filter(
      ({ kind }) => kind !== "Namespace",
    );
    return objects.length === 0 ? [] : [[`${part}.yaml`, yamlText(objects)] as const];
  });
  const resources = [...(own.length > 0 ? ["namespace.yaml"] : []), ...files.map(([file]) => file)];
  const kustomization: JsonObject = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources,
  };
  return {
    "kustomization.yaml": yamlText([kustomization]),
    ...(own.length > 0 ? { "namespace.yaml": yamlText(own) } : {}),
    ...Object.fromEntries(files),
  };
}

/** An example of what is made out of the base: no agents, so that nothing is enforced. */
const analysisOnly: Readonly<Record<string, string>> = {
  "kustomization.yaml": `# Conditions, events and warnings; nothing is enforced.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../../base
patches:
  - patch: |-
      apiVersion: apps/v1
      kind: DaemonSet
      metadata:
        name: tierwall-agent
        namespace: ${systemNamespace}
      $patch: delete
`,
};

/** The files of deploy/, text by path. */
export function installFiles(): Readonly<Record<string, string>> {
  const version = settings["image.tag"].usual;
  const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
    Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text] as const);
  return {
    "install.yaml": installText(),
    "cleanup.yaml": cleanupText(),
    ...Object.fromEntries([
      ...inFolder("kustomize/base", kustomizeFiles()),
      ...inFolder("kustomize/overlays/analysis-only", analysisOnly),
      ...inFolder("helm/tierwall", chartFiles(version)),
    ]),
  };
}
