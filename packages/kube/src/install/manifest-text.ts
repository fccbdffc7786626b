import type { JsonObject } from "@tierwall/core/manifest";
import { stringify } from "yaml";

export interface TextOptions {
  /** Says that the file is generated. */
  readonly header?: boolean;
  /** Also the first object has a line in front of it. */
  readonly start?: boolean;
}

/** Objects as one file, for `kubectl apply -f`. */
export function yamlText(
  objects: readonly JsonObject[],
  { header = true, start = false }: TextOptions = {},
): string {
  const line = "# Written by `npm run generate`: change the source it comes from, not this file.\n";
  const texts = objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
  return `${header ? line : ""}${start ? "---\n" : ""}${texts.join("---\n")}`;
}
