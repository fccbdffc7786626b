import type { JsonObject } from "@tierwall/core/manifest";
import { stringify } from "yaml";

interface TextOptions {
  /** Says that the file is generated. */
  readonly header?: boolean;
  /** Also the first object has a line in front of it. */
  readonly start?: boolean;
  /** 0: lines are not broken. */
  readonly lineWidth?: number;
}

export const generated = "Written by `npm run generate`: change the source it comes from, not this file.";

/** Objects as one file, for `kubectl apply -f`. */
export function yamlText(
  objects: readonly JsonObject[],
  { header = true, start = false, lineWidth = 0 }: TextOptions = {},
): string {
  const texts = objects.map((object) => stringify(object, { lineWidth, aliasDuplicateObjects: false }));
  return `${header ? `# ${generated}\n` : ""}${start ? "---\n" : ""}${texts.join("---\n")}`;
}
