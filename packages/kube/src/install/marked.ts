import { isObject, type Json, type JsonObject } from "@tierwall/core";
import type { SettingPath, Values } from "./settings.js";

/*
 * Objects are written down once, with marks where a setting decides: `«controller.replicas»`. For `kubectl apply` the marks are
 * replaced by values, for Helm by the words of its templates (chart.ts).
 */

/** The value of a setting; within a longer text, as text. */
export const valueOf = (path: SettingPath): string => `«${path}»`;

/** An item of a list that is there only while a switch is on. */
export const itemIf = (path: SettingPath, item: string): string => `«if ${path}»${item}`;

/** All items of a list, in the place of one. */
export const itemsOf = (path: SettingPath): string => `«items ${path}»`;

/** Where an installation is, whoever decides about that. */
export const here = "«namespace»";

export function filledIn<T extends Json>(marked: T, values: Values, namespace: string): T {
  return fill(marked, values, namespace) as T;
}

function fill(marked: Json, values: Values, namespace: string): Json {
  if (typeof marked === "string") return fillText(marked, values, namespace);
  if (isList(marked)) return marked.flatMap((item) => fillItem(item, values, namespace));
  if (!isObject(marked)) return marked;
  return Object.fromEntries(
    Object.entries(marked).map(([key, value]): [string, Json] => [key, fill(value, values, namespace)]),
  ) satisfies JsonObject;
}

function fillItem(item: Json, values: Values, namespace: string): Json[] {
  if (typeof item !== "string") return [fill(item, values, namespace)];
  const [, word, path, rest] = /^«(if|items) ([\w.]+)»(.*)$/s.exec(item) ?? [];
  if (word === undefined) return [fill(item, values, namespace)];
  const value = values[path as SettingPath];
  if (word === "items") return isList(value) ? [...value] : [];
  return value === true ? [fillText(rest!, values, namespace)] : [];
}

function fillText(text: string, values: Values, namespace: string): Json {
  const whole = /^«([\w.]+)»$/.exec(text)?.[1];
  if (whole !== undefined && whole !== "namespace") return values[whole as SettingPath];
  return text.replaceAll(/«([\w.]+)»/g, (_, path: string) =>
    path === "namespace" ? namespace : textOf(values[path as SettingPath]),
  );
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
