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

/** The values of `nameOverride` and `fullnameOverride`. */
export const appName = "«name»";
export const fullName = "«fullname»";

/** Marks for what is computed from settings, or is no setting. */
export const computed = ["namespace", "name", "fullname"] as const;
export type Computed = (typeof computed)[number];
export const isComputed = (path: string): path is Computed => computed.some((one) => one === path);

const usualName = "tierwall";

/** For `kubectl apply`. */
export function filledIn<T extends Json>(marked: T, values: Values, namespace: string): T {
  const name = textOf(values.nameOverride) || usualName;
  const computedValues = { namespace, name, fullname: textOf(values.fullnameOverride) || name };
  return fill(marked) as T;

  function fill(part: Json): Json {
    if (typeof part === "string") return fillText(part);
    if (isList(part)) return part.flatMap(fillItem);
    if (!isObject(part)) return part;
    return Object.fromEntries(
      Object.entries(part).flatMap(([key, value]): [string, Json][] => {
        const entries = /^«entries ([\w.]+) except [^»]+»$/.exec(key)?.[1];
        if (entries !== undefined)
          return Object.entries(values[entries as SettingPath] as JsonObject).filter(
            ([own]) => !Object.hasOwn(part, own),
          );
        const [, path, wanted, field] = /^«if ([\w.]+)=(\w+)»(.*)$/.exec(key) ?? [];
        if (path !== undefined && values[path as SettingPath] !== wanted) return [];
        return [[field ?? key, fill(value)]];
      }),
    );
  }

  function fillItem(item: Json): Json[] {
    const mark = /^«(if|items) ([\w.]+)(?:=(\w+))?»(.*)$/s.exec(typeof item === "string" ? item : "");
    const [, word, path, wanted, rest] = mark ?? [];
    if (word === undefined) return [fill(item)];
    const value = values[path as SettingPath];
    if (word === "items") {
      const items = isList(value) ? value : [];
      return rest === "" ? [...items] : items.map((one) => `${rest}${textOf(one)}`);
    }
    const isThere = isList(value) ? value.length > 0 : value === (wanted ?? true);
    return isThere ? [fillText(rest!)] : [];
  }

  function fillText(text: string): Json {
    const whole = /^«([\w.]+)»$/.exec(text)?.[1];
    if (whole !== undefined && !isComputed(whole)) return values[whole as SettingPath];
    return text.replaceAll(/«([\w.]+)»/g, (_, path: string) =>
      isComputed(path) ? computedValues[path] : textOf(values[path as SettingPath]),
    );
  }
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
