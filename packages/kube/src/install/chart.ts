import type { Json, JsonObject } from "@tierwall/core/manifest";
import { type Installed, markedObjects, usualParts } from "./install.js";
import { type Computed, isComputed } from "./marked.js";
import { markedCleanup } from "./cleanup.js";
import { yamlText } from "./manifest-text.js";
import { namePattern } from "./setting-problems.js";
import { type Setting, type SettingPath, settingPaths, settings } from "./settings.js";

/** The files of the Helm chart, text by path. */
export function chartFiles(version: string): Readonly<Record<string, string>> {
  const templates = usualParts.map(
    (part) => [`templates/${part}.yaml`, templateOf(markedObjects(part))] as const,
  );
  // Helm installs what is in crds/ always, and never deletes it; what a switch decides about has to be a template.
  const [always, optional] = [
    markedObjects("crds").filter(({ when }) => when.length === 0),
    markedObjects("crds").filter(({ when }) => when.length > 0),
  ];
  const definitions = always.map(
    ({ object }) => [`crds/${nameOf(object)}.yaml`, yamlText([object])] as const,
  );
  return {
    "Chart.yaml": yamlText([
      {
        apiVersion: "v2",
        name: "tierwall",
        description: "Cluster-wide network policy: decided, explained and enforced.",
        type: "application",
        version,
        appVersion: version,
      },
    ]),
    "values.yaml": valuesText(),
    "values.schema.json": `${JSON.stringify(valuesSchema(), undefined, 2)}\n`,
    "templates/NOTES.txt": notes,
    "templates/_names.tpl": `${comment}${namesTemplate}`,
    ...Object.fromEntries(definitions),
    "templates/cleanup.yaml": templateOf(
      markedCleanup.map((object) => ({ object: beforeUninstall(object), when: ["agent.enabled"] })),
    ),
    "templates/crds.yaml": templateOf(optional.map(({ object, when }) => ({ object: kept(object), when }))),
    ...Object.fromEntries(templates),
  };
}

const notes = `Tierwall is in the namespace {{ .Release.Namespace }}.

  kubectl get clusternetworkpolicies
  kubectl -n {{ .Release.Namespace }} get pods
  tierwall explain --from NAMESPACE/POD --to NAMESPACE/POD --port 443
{{- if not .Values.agent.enabled }}

Agents are switched off. Where some ran before, their rules are still in the kernels of the nodes, and pods that start
later are denied, until \`tierwall manifests --cleanup --namespace {{ .Release.Namespace }} | kubectl apply -f -\` has removed them.
{{- else if eq .Values.agent.mode "shadow" }}

Agents are in shadow mode: nothing is denied. \`--set agent.mode=enforce\` enforces.
{{- end }}
`;

const nameOf = ({ metadata }: JsonObject): string => (metadata as { name: string }).name;

/** `helm uninstall` leaves it where it is. */
function kept(object: JsonObject): JsonObject {
  const metadata = object.metadata as JsonObject;
  const annotations = { ...(metadata.annotations as JsonObject), "helm.sh/resource-policy": "keep" };
  return { ...object, metadata: { ...metadata, annotations } };
}

/**
 * A hook that Helm runs before it deletes anything. It waits for the Job alone, which has to come last. The Job deletes the
 * DaemonSet, unless nodes are down that it is to clean later; its own log is kept for a day.
 */
function beforeUninstall(object: JsonObject): JsonObject {
  const { kind, metadata } = object as { kind: string; metadata: JsonObject };
  const remains = kind === "DaemonSet" || kind === "Job";
  const annotations = {
    "helm.sh/hook": "pre-delete",
    "helm.sh/hook-weight": { DaemonSet: "1", Job: "2" }[kind] ?? "0",
    "helm.sh/hook-delete-policy": remains ? "before-hook-creation" : "before-hook-creation,hook-succeeded",
  };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Objects with marks in the words of Helm, each within the switches that decide about it. */
function templateOf(objects: readonly Installed[]): string {
  const texts: string[] = [];
  for (const { object, when } of objects) {
    const condition = when.length === 1 ? `.Values.${when[0]}` : `and ${when.map(inValues).join(" ")}`;
    const text = inWordsOfHelm(yamlText([object], { header: false, start: true }));
    texts.push(when.length === 0 ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`);
  }
  return `${comment}${texts.join("")}`;
}

const comment =
  "{{- /* Written by `npm run generate`: change the source it comes from, not this file. */ -}}\n";

const quoted = (text: string): string => JSON.stringify(text);

const inValues = (path: string): string => `.Values.${path}`;

function inWordsOfHelm(text: string): string {
  return text
    .split("\n")
    .map((line) => lineOfHelm(line))
    .join("\n");
}

function lineOfHelm(line: string): string {
  const [, indent, path, wanted, item] = /^(\s*)- "?«if ([\w.]+)(?:=(\w+))?»(.*?)"?$/.exec(line) ?? [];
  if (path !== undefined) {
    const condition = wanted === undefined ? `.Values.${path}` : `eq .Values.${path} "${wanted}"`;
    return `${indent}{{- if ${condition} }}\n${indent}- ${inText(item!)}\n${indent}{{- end }}`;
  }
  const [, margin, decider, equal, field] = /^(\s*)"?«if ([\w.]+)=(\w+)»([^"]*)"?(?=: )/.exec(line) ?? [];
  if (decider !== undefined) {
    const value = line.slice(line.indexOf(": "));
    return `${margin}{{- if eq .Values.${decider} "${equal}" }}\n${margin}${field}${inText(value)}\n${margin}{{- end }}`;
  }
  const [, all, listed, prefix] = /^(\s*)- "?«items ([\w.]+)»([^"]*)"?$/.exec(line) ?? [];
  if (listed !== undefined && prefix !== "")
    return `${all}{{- range .Values.${listed} }}\n${all}- {{ printf "${prefix}%v" . | quote }}\n${all}{{- end }}`;
  if (listed !== undefined)
    return `${all}{{- with .Values.${listed} }}\n${all}{{- toYaml . | nindent ${all!.length} }}\n${all}{{- end }}`;
  const [, deep, merged, fixed] = /^(\s*)"?«entries ([\w.]+) except ([^»]+)»"?: ""$/.exec(line) ?? [];
  if (merged !== undefined)
    return `${deep}{{- with omit (.Values.${merged} | default dict) ${fixed!.split(" ").map(quoted).join(" ")} }}\n${deep}{{- toYaml . | nindent ${deep!.length} }}\n${deep}{{- end }}`;
  const [, margins, computedItem] = /^(\s*)- "?«(\w+)»"?$/.exec(line) ?? [];
  // A namespace may be called `123` or `null`.
  if (computedItem !== undefined && isComputed(computedItem))
    return `${margins}- {{ ${computedInHelm[computedItem]} | quote }}`;
  const [, before, key, whole] = /^(\s*)([\w./-]+): "?«([\w.]+)»"?$/.exec(line) ?? [];
  if (whole !== undefined && isComputed(whole))
    return `${before}${key}: {{ ${computedInHelm[whole]} | quote }}`;
  if (whole !== undefined) {
    const setting: Setting = settings[whole as SettingPath];
    if (setting.is === "object" || setting.is === "list")
      return `${before}${key}: {{- toYaml .Values.${whole} | nindent ${before!.length + 2} }}`;
    if (setting.is === "text") return `${before}${key}: {{ .Values.${whole} | quote }}`;
  }
  return inText(line);
}

const computedInHelm: Readonly<Record<Computed, string>> = {
  namespace: ".Release.Namespace",
  name: 'include "tierwall.name" .',
  fullname: 'include "tierwall.fullname" .',
};

const inText = (text: string): string =>
  text.replaceAll(
    /«([\w.]+)»/g,
    (_, path: string) => `{{ ${isComputed(path) ? computedInHelm[path] : `.Values.${path}`} }}`,
  );

const namesTemplate = `{{- define "tierwall.name" -}}
{{ .Values.nameOverride | default "tierwall" }}
{{- end -}}
{{- define "tierwall.fullname" -}}
{{ .Values.fullnameOverride | default (include "tierwall.name" .) }}
{{- end -}}
`;

/** Settings and groups of them by name, as values have them. */
type Group = Map<string, Setting | Group>;

function settingGroups(): Group {
  const top: Group = new Map();
  for (const path of settingPaths) {
    const names = path.split(".");
    let group = top;
    for (const name of names.slice(0, -1)) {
      const inner = group.get(name);
      const next: Group = inner instanceof Map ? inner : new Map();
      group.set(name, next);
      group = next;
    }
    group.set(names.at(-1)!, settings[path]);
  }
  return top;
}

/** Every setting with what it is about, and its usual value. */
function valuesText(): string {
  const top = [...settingGroups()];
  const single = new Map(top.filter(([, value]) => !(value instanceof Map)));
  const groups = top.filter(([, value]) => value instanceof Map).map((one) => new Map([one]));
  const texts = [single, ...groups].map((group) => `${linesOf(group).join("\n")}\n`);
  return `# Written by \`npm run generate\`: change the source it comes from, not this file.\n${texts.join("\n")}`;
}

function linesOf(group: Group): readonly string[] {
  return Array.from(group, ([name, value]) => {
    if (value instanceof Map) return `${name}:\n${linesOf(value).join("\n").replaceAll(/^/gm, "  ")}`;
    const { about, usual, oneOf } = value;
    const choice = oneOf === undefined ? "" : ` One of ${oneOf.join(", ")}.`;
    return `# ${about}${choice}\n${yamlText([{ [name]: usual }], { header: false }).trimEnd()}`;
  });
}

const schemaTypes = {
  text: { type: "string", minLength: 1 },
  name: { type: "string", pattern: namePattern },
  number: { type: "integer" },
  switch: { type: "boolean" },
  list: { type: "array" },
  object: { type: "object" },
} as const;

function valuesSchema(): JsonObject {
  const { properties, ...rest } = schemaOf(settingGroups());
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...rest,
    properties: { global: { type: "object" }, ...(properties as JsonObject) },
  };
}

function schemaOf(group: Group): JsonObject {
  const properties = Array.from(group, ([name, value]): [string, Json] => {
    if (value instanceof Map) return [name, schemaOf(value)];
    const { is, about, oneOf, atLeast, atMost } = value;
    return [
      name,
      {
        description: about,
        ...schemaTypes[is],
        ...(oneOf === undefined ? {} : { enum: [...oneOf] }),
        ...(atLeast === undefined ? {} : { minimum: atLeast }),
        ...(atMost === undefined ? {} : { maximum: atMost }),
      },
    ];
  });
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
}
