import type { GuaranteeResult } from "../../prove/guarantee/index.js";
import type { JsonValue } from "../explanation/explanation-json.js";
import { annotationText } from "../github-annotation.js";
import { physicalLocation, sarifLog, sarifText } from "../sarif.js";
import { escapeMarkup } from "../markup.js";
import { noStyle } from "../style.js";
import { holds, partPlace, partText, type ResultName, resultName, summaryText } from "./proofs-words.js";
import { proofsText } from "./proofs-text.js";

/** For CI systems: JUnit, SARIF, and annotations of GitHub. */

/** A suite for each file, a case for each guarantee. */
export function proofsJunit(results: readonly GuaranteeResult[]): string {
  const files = [...new Set(results.map(({ guarantee }) => guarantee.file))];
  const failures = (list: readonly GuaranteeResult[]) => list.filter((result) => !holds(result)).length;
  const counts = (list: readonly GuaranteeResult[]) => `tests="${list.length}" failures="${failures(list)}"`;
  const suites = files.map((file) => {
    const own = results.filter(({ guarantee }) => guarantee.file === file);
    return [
      `  <testsuite name="${escapeMarkup(file)}" ${counts(own)}>`,
      ...own.map(testCase),
      "  </testsuite>",
    ].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="tierwall prove" ${counts(results)}>`,
    ...suites,
    "</testsuites>",
  ].join("\n");
}

function testCase(result: GuaranteeResult): string {
  const { name, place } = result.guarantee;
  const open = `    <testcase classname="tierwall prove" name="${escapeMarkup(name)}" file="${escapeMarkup(place.file)}" line="${place.line}"`;
  if (holds(result)) return `${open}/>`;
  const message = `message="${escapeMarkup(summaryText(result))}"`;
  const text = escapeMarkup(proofsText([result], noStyle));
  return `${open}>\n      <failure type="${resultName(result)}" ${message}>${text}</failure>\n    </testcase>`;
}

const titles: Readonly<Record<Exclude<ResultName, "Proven">, string>> = {
  Refuted: "a guarantee that does not hold in every cluster",
  NotDecided: "a guarantee that was not decided",
  Vacuous: "a guarantee that applies to no connection",
  NotAsked: "a guarantee that could not be checked",
};

export function proofsSarif(results: readonly GuaranteeResult[], version: string): JsonValue {
  const rules = Object.entries(titles).map(([id, text]) => ({ id, shortDescription: { text } }));
  const open = results.filter((result) => !holds(result));
  return sarifLog(
    version,
    rules,
    open.map((result) => {
      const { proof, guarantee } = result;
      const parts = proof?.result === "Refuted" ? decidersOf(result) : [];
      const related = parts.flatMap((part) => {
        const place = partPlace(part);
        return place === undefined
          ? []
          : [{ physicalLocation: physicalLocation(place), message: { text: sarifText(partText(part)) } }];
      });
      return {
        ruleId: resultName(result),
        ruleIndex: rules.findIndex(({ id }) => id === resultName(result)),
        level: levelOf(result),
        message: { text: sarifText(`${guarantee.name}: ${summaryText(result)}`) },
        locations: [{ physicalLocation: physicalLocation(guarantee.place) }],
        ...(related.length === 0 ? {} : { relatedLocations: related }),
      };
    }),
    true,
  );
}

/** The rules of files that decide a counterexample. */
function decidersOf({ proof }: GuaranteeResult) {
  if (proof?.result !== "Refuted") return [];
  return Object.values(proof.counterexample.decisions).flatMap(({ by }) =>
    by.kind === "rule" ? [by.rule] : [],
  );
}

const levelOf = (result: GuaranteeResult): "error" | "warning" =>
  resultName(result) === "Vacuous" ? "warning" : "error";

export function proofsGithub(results: readonly GuaranteeResult[]): string {
  return results
    .filter((result) => !holds(result))
    .map((result) =>
      annotationText({
        level: levelOf(result),
        place: result.guarantee.place,
        title: `${resultName(result)} ${result.guarantee.name}`,
        message: summaryText(result),
      }),
    )
    .join("\n");
}
