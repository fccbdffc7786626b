import type { Json, JsonObject } from "@tierwall/core/manifest";
import { markedCleanup } from "./cleanup.js";
import { type Installed, markedObjects, usualParts } from "./install.js";
import { generated, yamlText } from "./manifest-text.js";
import { type Computed, isComputed } from "./marked.js";
import { settingKinds } from "./setting-kinds.js";
import { type Setting, type SettingPath, settingPaths, settings } from "./settings.js";

/** The files of the Helm chart, text by path. */
export function chartFiles(version: string): Readonly<Record<string, string>> {
  // Helm installs what is in crds/ always, and never deletes it; what a switch decides about has to be a template.
  const definitions = markedObjects("crds");
  const always = definitions.filter(({ when }) => when.length === 0);
  const optional = definitions.filter(({ when }) => when.length > 0);
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
    ...Object.fromEntries(always.map(({ object }) => [`crds/${nameOf(object)}.yaml`, yamlText([object])])),
    "templates/cleanup.yaml": templateOf(
      markedCleanup.map((object) => ({ object: beforeUninstall(object), when: ["agent.enabled"] })),
    ),
    "templates/crds.yaml": templateOf(optional.map(({ object, when }) => ({ object: kept(object), when }))),
    ...Object.fromEntries(
      usualParts.map((part) => [`templates/${part}.yaml`, templateOf(markedObjects(part))]),
    ),
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

function annotated(object: JsonObject, added: JsonObject): JsonObject {
  const metadata = object.metadata as JsonObject;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...(metadata.annotations as JsonObject), ...added } },
  };
}

/** `helm uninstall` leaves it where it is. */
const kept = (object: JsonObject): JsonObject => annotated(object, { "helm.sh/resource-policy": "keep" });

/**
 * A hook that Helm runs before it deletes anything. It waits for the Job alone, which has to come last. The Job deletes the
 * DaemonSet, unless nodes are down that it is to clean later; its own log is kept for a day.
 */
function beforeUninstall(object: JsonObject): JsonObject {
  const weight = { DaemonSet: "1", Job: "2" }[object.kind as string];
  return annotated(object, {
    "helm.sh/hook": "pre-delete",
    "helm.sh/hook-weight": weight ?? "0",
    "helm.sh/hook-delete-policy": `before-hook-creation${weight === undefined ? ",hook-succeeded" : ""}`,
  });
}

/** Objects with marks in the words of Helm, each within the switches that decide about it. */
function templateOf(objects: readonly Installed[]): string {
  const texts = objects.map(({ object, when }) => {
    const lines = yamlText([object], { header: false, start: true }).split("\n");
    const text = lines.map(lineOfHelm).join("\n");
    const switches = when.map((path) => `.Values.${path}`).join(" ");
    return when.length === 0
      ? text
      : `{{- if ${when.length > 1 ? "and " : ""}${switches} }}\n${text}{{- end }}\n`;
  });
  return `${comment}${texts.join("")}`;
}

const comment = `{{- /* ${generated} */ -}}\n`;

/** A line with a mark, and what Helm has in its place: its indent, and what follows in the order of the groups. */
type LineForm = readonly [form: RegExp, written: (indent: string, ...found: string[]) => string];

const block = (indent: string, action: string, line: string): string =>
  `${indent}{{- ${action} }}\n${indent}${line}\n${indent}{{- end }}`;

const yamlAt = (indent: string): string => `{{- toYaml . | nindent ${indent.length} }}`;

const lineForms: readonly LineForm[] = [
  [
    /^(\s*)- "?«if ([\w.]+)»(.*?)"?$/,
    (indent, path, item) => block(indent, `if .Values.${path}`, `- ${inText(item)}`),
  ],
  [
    /^(\s*)- "?«if ([\w.]+)=(\w+)»(.*?)"?$/,
    (indent, path, wanted, item) => block(indent, `if eq .Values.${path} "${wanted}"`, `- ${inText(item)}`),
  ],
  [
    /^(\s*)"?«if ([\w.]+)=(\w+)»([^"]*)"?(: .*)$/,
    (indent, path, wanted, field, value) =>
      block(indent, `if eq .Values.${path} "${wanted}"`, `${field}${inText(value)}`),
  ],
  [/^(\s*)- "?«items ([\w.]+)»"?$/, (indent, path) => block(indent, `with .Values.${path}`, yamlAt(indent))],
  [
    /^(\s*)- "?«items ([\w.]+)»([^"]+)"?$/,
    (indent, path, prefix) =>
      block(indent, `range .Values.${path}`, `- {{ printf "${prefix}%v" . | quote }}`),
  ],
  [
    /^(\s*)"?«entries ([\w.]+) except ([^»]+)»"?: ""$/,
    (indent, path, fixed) =>
      block(
        indent,
        `with omit (.Values.${path} | default dict) ${fixed.replaceAll(/[^ ]+/g, '"$&"')}`,
        yamlAt(indent),
      ),
  ],
  // A namespace may be called `123` or `null`.
  [/^(\s*)- "?«(\w+)»"?$/, (indent, path) => `${indent}- {{ ${inHelm(path)} | quote }}`],
  [
    /^(\s*)([\w./-]+): "?«([\w.]+)»"?$/,
    (indent, key, path) => `${indent}${key}: {{${wholeValue(path, indent.length + 2)} }}`,
  ],
];

function lineOfHelm(line: string): string {
  for (const [form, written] of lineForms) {
    const [, indent, ...found] = form.exec(line) ?? [];
    if (indent !== undefined) return written(indent, ...found);
  }
  return inText(line);
}

const inText = (text: string): string =>
  text.replaceAll(/«([\w.]+)»/g, (_, path: string) => `{{ ${inHelm(path)} }}`);

const inHelm = (path: string): string => (isComputed(path) ? computedInHelm[path] : `.Values.${path}`);

function wholeValue(path: string, indent: number): string {
  const is = isComputed(path) ? "text" : settings[path as SettingPath].is;
  if (is === "object" || is === "list") return `- toYaml ${inHelm(path)} | nindent ${indent}`;
  return ` ${inHelm(path)}${is === "text" ? " | quote" : ""}`;
}

const computedInHelm: Readonly<Record<Computed, string>> = {
  namespace: ".Release.Namespace",
  name: 'include "tierwall.name" .',
  fullname: 'include "tierwall.fullname" .',
};

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
  return `# ${generated}\n${texts.join("\n")}`;
}

function linesOf(group: Group): readonly string[] {
  return Array.from(group, ([name, value]) => {
    if (value instanceof Map) return `${name}:\n${linesOf(value).join("\n").replaceAll(/^/gm, "  ")}`;
    const { about, usual, oneOf } = value;
    const choice = oneOf === undefined ? "" : ` One of ${oneOf.join(", ")}.`;
    return `# ${about}${choice}\n${yamlText([{ [name]: usual }], { header: false }).trimEnd()}`;
  });
}

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
        ...settingKinds[is].schema,
        ...(oneOf === undefined ? {} : { enum: [...oneOf] }),
        ...(atLeast === undefined ? {} : { minimum: atLeast }),
        ...(atMost === undefined ? {} : { maximum: atMost }),
      },
    ];
  });
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
}
