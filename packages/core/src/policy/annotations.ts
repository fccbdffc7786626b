import { suggest } from "../diagnostics/suggest.js";
import type { PolicyRef } from "./model.js";

/*
 * Annotations of policies that only Tierwall reads:
 *
 *   tierwall.dev/audit: denied | all | none          which of the connections it decides the node agent logs
 *   tierwall.dev/enforcement: enforce | shadow       whether the node agent enforces it, or only counts and logs
 *   tierwall.dev/lint-ignore: "TW4001: reason"       what lint does not report
 */

const prefix = "tierwall.dev/";

export const ignoreAnnotation = `${prefix}lint-ignore`;

/** The first is the default, also for unknown values. */
const choices = {
  audit: ["denied", "all", "none"],
  enforcement: ["enforce", "shadow"],
} as const;

type Choices = typeof choices;
const isChoice = (name: string): name is keyof Choices => Object.hasOwn(choices, name);

export function annotatedChoice<Name extends keyof Choices>(
  { annotations }: Pick<PolicyRef, "annotations">,
  name: Name,
): Choices[Name][number] {
  const known: readonly Choices[Name][number][] = choices[name];
  return known.find((value) => value === annotations[prefix + name]) ?? known[0]!;
}

/** The annotations of Tierwall. */
export function ownAnnotations<Value>(
  annotations: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(prefix)));
}

export interface AnnotationComplaint {
  readonly key: string;
  readonly at: "key" | "value";
  readonly message: string;
}

/** Problems of Tierwall's annotations. A misspelled one would go unnoticed: policies are enforced as if it were absent. */
export function annotationComplaints(
  annotations: Readonly<Record<string, unknown>>,
): readonly AnnotationComplaint[] {
  return Object.entries(annotations).flatMap(([key, value]): AnnotationComplaint[] => {
    if (!key.startsWith(prefix) || key === ignoreAnnotation) return [];
    const name = key.slice(prefix.length);
    if (!isChoice(name)) {
      const meant = suggest(name, [...Object.keys(choices), "lint-ignore"]);
      const hint = meant === undefined ? "it has no effect" : `did you mean \`${prefix}${meant}\`?`;
      return [{ key, at: "key", message: `\`${key}\` is not a Tierwall annotation; ${hint}` }];
    }
    const known: readonly unknown[] = choices[name];
    if (known.includes(value)) return [];
    const listed = choices[name].map((one) => `\`${one}\``).join(", ");
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    const message = `\`${key}\` must be one of ${listed}, not \`${shown}\`; it is read as \`${choices[name][0]}\``;
    return [{ key, at: "value", message }];
  });
}
