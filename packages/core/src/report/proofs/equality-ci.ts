import type { Place } from "../../diagnostics/place.js";
import { type Decider } from "../../evaluate/walk.js";
import { directions, type Isolation, type Rule } from "../../policy/model.js";
import { type Equality } from "../../prove/same/index.js";
import type { Confirmed } from "../../prove/world/index.js";
import type { JsonValue } from "../explanation/explanation-json.js";
import { annotationText } from "../github-annotation.js";
import { escapeMarkup } from "../markup.js";
import { physicalLocation, sarifLog, sarifText } from "../sarif.js";
import { noStyle } from "../style.js";
import { equalityText, type Sides, summaryOf } from "./equality.js";
import { counterexampleFile, partPlace, partText } from "./proofs-words.js";

/** For CI systems: JUnit, SARIF, and annotations of GitHub. */

/** One suite with one case. */
export function equalityJunit(equality: Equality, names: Sides): string {
  const isSame = equality.result === "Same";
  const counts = `tests="1" failures="${isSame ? 0 : 1}"`;
  const name = escapeMarkup(`${names.before} and ${names.after} are the same in every cluster`);
  const text = escapeMarkup(equalityText(equality, names, noStyle));
  const failure = `\n      <failure type="${equality.result}" message="${escapeMarkup(summaryOf(equality))}">${text}</failure>\n    `;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="tierwall prove --same" ${counts}>`,
    `  <testsuite name="tierwall prove --same" ${counts}>`,
    `    <testcase classname="tierwall prove" name="${name}">${isSame ? "" : failure}</testcase>`,
    "  </testsuite>",
    "</testsuites>",
  ].join("\n");
}

const titles: Readonly<Record<Exclude<Equality["result"], "Same">, string>> = {
  Different: "policies that are not the same in every cluster",
  NotDecided: "a comparison that was not decided",
};

/** One result at most, at the rule that decides on the second side. */
export function equalitySarif(equality: Equality, names: Sides, version: string): JsonValue {
  const rules = Object.entries(titles).map(([id, text]) => ({ id, shortDescription: { text } }));
  if (equality.result === "Same") return sarifLog(version, rules, [], true);
  const [first, ...others] = decidersOf(equality);
  const place = first?.place ?? { file: names.after, line: 1, column: 1, length: 0 };
  const related = others.map((part) => ({
    physicalLocation: physicalLocation(part.place),
    message: { text: sarifText(part.text) },
  }));
  return sarifLog(
    version,
    rules,
    [
      {
        ruleId: equality.result,
        ruleIndex: rules.findIndex(({ id }) => id === equality.result),
        level: "error",
        message: { text: sarifText(titleOf(equality, names)) },
        locations: [{ physicalLocation: physicalLocation(place) }],
        ...(related.length === 0 ? {} : { relatedLocations: related }),
      },
    ],
    true,
  );
}

/** Nothing where they are the same. */
export const equalityGithub = (equality: Equality, names: Sides): string =>
  equality.result === "Same"
    ? ""
    : annotationText({
        level: "error",
        place: decidersOf(equality)[0]?.place,
        title: `${names.before} and ${names.after} are not the same in every cluster`,
        message: summaryOf(equality),
      });

const titleOf = (equality: Equality, { before, after }: Sides): string =>
  `${before} and ${after}: ${summaryOf(equality)}`;

interface PlacedPart {
  readonly place: Place;
  readonly text: string;
}

/** What decides in files, on the second side first. */
function decidersOf(equality: Equality): readonly PlacedPart[] {
  if (equality.result !== "Different") return [];
  return [equality.after, equality.before].flatMap(({ decisions }: Confirmed) =>
    directions.flatMap((direction) =>
      partsOf(decisions[direction].by).flatMap((part): PlacedPart[] => {
        const place = partPlace(part);
        return place === undefined || place.file === counterexampleFile
          ? []
          : [{ place, text: partText(part) }];
      }),
    ),
  );
}

function partsOf(by: Decider): readonly (Rule | Isolation)[] {
  if (by.kind === "rule") return [by.rule];
  return by.kind === "isolation" ? by.isolation : [];
}
