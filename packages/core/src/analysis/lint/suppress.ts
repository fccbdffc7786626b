import type { Place } from "../../diagnostics/place.js";
import { visible } from "../../diagnostics/visible.js";
import type { TextSource } from "../../manifest/source.js";
import { ignoreAnnotation } from "../../policy/annotations.js";
import { formatPolicy, type PolicyRef } from "../../policy/model.js";
import type { WrittenPolicy } from "../../state/state.js";
import { type Finding, finding } from "./finding.js";

/*
 * Exceptions, with a reason, where a finding is known and meant:
 *
 *   metadata:
 *     annotations: {tierwall.dev/lint-ignore: "TW4001: pods come with the next release; TW2001: as agreed"}
 *
 *   cidr: 10.1.2.3/8  # tierwall-ignore TW2001: the vendor's spelling
 */

export interface Suppression {
  /** Undefined where it names none. */
  readonly code: string | undefined;
  readonly reason: string;
  readonly place?: Place;
  readonly covers: (found: Finding) => boolean;
}

/** `TW4001: reason; TW2001: reason`. A part that begins with no code belongs to the reason before it. */
function parseIgnored(text: string): readonly Pick<Suppression, "code" | "reason">[] {
  return text.split(/;(?=\s*TW\d)/).map((part) => {
    const [lead = "", code] = /^\s*(TW\d+)\s*:?/.exec(part) ?? [];
    return { code, reason: visible(withoutEnd(part.slice(lead.length).trim())) };
  });
}

/** An expression that looks for an end takes a time that grows with the square of a long run of what it looks for. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s;]/.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

export function suppressionsIn(
  policies: readonly WrittenPolicy[],
  texts: readonly TextSource[],
): readonly Suppression[] {
  return [...policies.flatMap(annotated), ...texts.flatMap(commented)];
}

function annotated({ policy, object }: WrittenPolicy): readonly Suppression[] {
  const text = policy.annotations[ignoreAnnotation];
  if (text === undefined) return [];
  const place = object.document.placeOf([...object.path, "metadata", "annotations", ignoreAnnotation]);
  const isAbout = aboutPolicy(policy);
  return parseIgnored(text).map(({ code, reason }) => ({ code, reason, place, covers: isAbout }));
}

/** The finding names the policy, or points to it. */
function aboutPolicy(policy: PolicyRef): (found: Finding) => boolean {
  const [name, own] = [formatPolicy(policy), policy.place()];
  return ({ object, place }) => {
    if (place === undefined || own === undefined) return object === name;
    return place.file === own.file && (object === name || place.line === own.line);
  };
}

function commented({ file, text }: TextSource): readonly Suppression[] {
  if (!text.includes("tierwall-ignore")) return [];
  return text.split(/\r?\n/).flatMap((content, i) => {
    const [comment, before, ignored] = /^(.*?)(?:^|\s)#\s*tierwall-ignore\b(.*)$/.exec(content) ?? [];
    if (comment === undefined) return [];
    const line = i + 1;
    const column = content.indexOf("tierwall-ignore") + 1;
    const place = { file, line, column, length: content.length - column + 1 };
    // Behind something it is about that line; alone, about the next one.
    const meant = before!.trim() === "" ? line + 1 : line;
    const covers = (found: Finding) => found.place?.file === file && found.place.line === meant;
    return parseIgnored(ignored!).map(({ code, reason }) => ({ code, reason, place, covers }));
  });
}

export interface Suppressed {
  readonly finding: Finding;
  readonly reason: string;
}

/** What is left, what was suppressed, and what is to say about the exceptions themselves. Errors cannot be suppressed. */
export function applySuppressions(
  found: readonly Finding[],
  suppressions: readonly Suppression[],
): { readonly findings: readonly Finding[]; readonly suppressed: readonly Suppressed[] } {
  const used = new Set<Suppression>();
  const suppressed: Suppressed[] = [];
  const findings = found.filter((candidate) => {
    if (candidate.severity === "error") return true;
    const by = suppressions.filter(({ code, covers }) => code === candidate.code && covers(candidate));
    for (const suppression of by) used.add(suppression);
    const [first] = by;
    if (first !== undefined) suppressed.push({ finding: candidate, reason: first.reason });
    return first === undefined;
  });
  return {
    findings: [...findings, ...suppressions.flatMap((one) => remarkOn(one, used.has(one)))],
    suppressed,
  };
}

function remarkOn({ code, reason, place }: Suppression, isUsed: boolean): readonly Finding[] {
  if (code === undefined) {
    const hint = "Write the code of the finding, and why it is meant: `TW4001: REASON`.";
    return [finding("TW4091", "this excepts nothing: it names no code", { place, hint })];
  }
  if (!isUsed)
    return [
      finding("TW4091", `nothing here is reported as \`${code}\``, {
        place,
        hint: "Delete the exception, before it hides something new.",
      }),
    ];
  if (reason !== "") return [];
  const hint = `Add a reason for the next reader: \`${code}: REASON\`.`;
  return [finding("TW4090", `\`${code}\` is excepted without a reason`, { place, hint })];
}
