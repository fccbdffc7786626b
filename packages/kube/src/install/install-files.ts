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
  const { parts: wanted = usualParts } = options;
  const isNamespace = ({ kind }: JsonObject) => kind === "Namespace";
  const files = [
    ["namespace.yaml", installObjects(options).filter(isNamespace)] as const,
    ...wanted.map((part) => {
      const objects = installObjects({ ...options, parts: [part] });
      return [`${part}.yaml`, objects.filter((object) => !isNamespace(object))] as const;
    }),
  ].filter(([, objects]) => objects.length > 0);
  const kustomization: JsonObject = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: files.map(([file]) => file),
  };
  return {
    "kustomization.yaml": yamlText([kustomization]),
    ...Object.fromEntries(files.map(([file, objects]) => [file, yamlText(objects)])),
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
  const folders = {
    "kustomize/base": kustomizeFiles(),
    "kustomize/overlays/analysis-only": analysisOnly,
    "helm/tierwall": chartFiles(settings["image.tag"].usual as string),
  };
  const files = Object.entries(folders).flatMap(([folder, texts]) =>
    Object.entries(texts).map(([file, text]) => [`${folder}/${file}`, text] as const),
  );
  return { "install.yaml": installText(), "cleanup.yaml": cleanupText(), ...Object.fromEntries(files) };
}
