import { isObject, type Json, type JsonObject } from "@tierwall/core/manifest";
import type { SettingPath, Values } from "./settings.js";

/*
 * Objects are written down once, with marks where a setting decides: `«controller.replicas»`. For `kubectl apply` the marks are
 * replaced by values, for Helm by the words of its templates (chart.ts).
 */

/** The value of a setting; within a longer text, as text. */
export const valueOf = (path: SettingPath): string => `«${path}»`;

/** An item of a list that is there only while a switch is on, or a list has items. */
export const itemIf = (path: SettingPath, item: string): string => `«if ${path}»${item}`;

/** An item of a list that is there only while a setting has this value. */
export const itemWhen = (path: SettingPath, value: string, item: string): string =>
  `«if ${path}=${value}»${item}`;

/** A field of an object, that is there only while a setting has this value. It must not be the first of its object. */
export const fieldWhen = (
  path: SettingPath,
  value: string,
  key: string,
  text: string,
): Readonly<Record<string, string>> => ({ [`«if ${path}=${value}»${key}`]: text });

/** Fixed entries and those of a setting, which cannot replace them; as a key, whose value does not matter. */
export const withEntries = (
  fixed: Readonly<Record<string, string>>,
  path: SettingPath,
): Readonly<Record<string, string>> => ({
  ...fixed,
  [`«entries ${path} except ${Object.keys(fixed).join(" ")}»`]: "",
});

/** All items of a list, in the place of one; each behind a text, such as the name of an option. */
export const itemsOf = (path: SettingPath, prefix = ""): string => `«items ${path}»${prefix}`;

/** The namespace of an installation. */
export const here = "«namespace»";

/** What `nameOverride` and `fullnameOverride` come to. */
export const appName = "«name»";
export const fullName = "«fullname»";

/** Marks for what is computed from settings, or is no setting. */
export const computed = ["namespace", "name", "fullname"] as const;
export type Computed = (typeof computed)[number];
export const isComputed = (path: string): path is Computed => computed.some((one) => one === path);

const usualName = "tierwall";

function computedValue(path: Computed, values: Values, namespace: string): string {
  const name = textOf(values.nameOverride) || usualName;
  return { namespace, name, fullname: textOf(values.fullnameOverride) || name }[path];
}

export function filledIn<T extends Json>(marked: T, values: Values, namespace: string): T {
  return fill(marked, values, namespace) as T;
}

function fill(marked: Json, values: Values, namespace: string): Json {
  if (typeof marked === "string") return fillText(marked, values, namespace);
  if (isList(marked)) return marked.flatMap((item) => fillItem(item, values, namespace));
  if (!isObject(marked)) return marked;
  return Object.fromEntries(
    Object.entries(marked).flatMap(([key, value]): [string, Json][] => {
      const entries = /^«entries ([\w.]+) except [^»]+»$/.exec(key)?.[1];
      if (entries !== undefined)
        return Object.entries(values[entries as SettingPath] as JsonObject).filter(
          ([own]) => !Object.hasOwn(marked, own),
        );
      const [, path, wanted, field] = /^«if ([\w.]+)=(\w+)»(.*)$/.exec(key) ?? [];
      if (path !== undefined && values[path as SettingPath] !== wanted) return [];
      return [[field ?? key, fill(value, values, namespace)]];
    }),
  ) satisfies JsonObject;
}

function fillItem(item: Json, values: Values, namespace: string): Json[] {
  if (typeof item !== "string") return [fill(item, values, namespace)];
  const [, word, path, wanted, rest] = /^«(if|items) ([\w.]+)(?:=(\w+))?»(.*)$/s.exec(item) ?? [];
  if (word === undefined) return [fill(item, values, namespace)];
  const value = values[path as SettingPath];
  if (word === "items") {
    const items = isList(value) ? value : [];
    return rest === "" ? [...items] : items.map((one) => `${rest}${textOf(one)}`);
  }
  const isThere = isList(value) ? value.length > 0 : value === (wanted ?? true);
  return isThere ? [fillText(rest!, values, namespace)] : [];
}

function fillText(text: string, values: Values, namespace: string): Json {
  const whole = /^«([\w.]+)»$/.exec(text)?.[1];
  if (whole !== undefined && !isComputed(whole)) return values[whole as SettingPath];
  return text.replaceAll(/«([\w.]+)»/g, (_, path: string) =>
    isComputed(path) ? computedValue(path, values, namespace) : textOf(values[path as SettingPath]),
  );
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
