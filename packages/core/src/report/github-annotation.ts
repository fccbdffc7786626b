import type { Place } from "../diagnostics/place.js";

/** An annotation of a GitHub workflow: it is shown next to its line. */
export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly place: Place | undefined;
  readonly title: string;
  readonly message: string;
}

/** The workflow command that makes it. */
export function annotationText({ level, place, title, message }: Annotation): string {
  const where =
    place === undefined
      ? []
      : [
          `file=${property(place.file)}`,
          `line=${place.line}`,
          `col=${place.column}`,
          `endColumn=${place.column + place.length}`,
        ];
  return `::${level} ${[...where, `title=${property(title)}`].join(",")}::${data(message)}`;
}

const data = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
