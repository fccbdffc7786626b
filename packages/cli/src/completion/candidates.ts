import { visible } from "@tierwall/core/report";

/** What can be typed at the cursor. */
export interface Candidates {
  readonly list: readonly Candidate[];
  /** More is to be typed behind each of them: `shop/`. */
  readonly unfinished?: true;
  /** The shell offers files, if the list is empty. */
  readonly files?: true;
}

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

export const none: Candidates = { list: [] };

export const plain = (values: readonly string[]): Candidates => ({
  list: values.map((value) => ({ value })),
});

/** Names in manifests may be anything, and a shell puts a candidate on the line: it must not mean anything to the shell. */
const isTypable = /^[\w./:@%+,=-]*$/;

/**
 * As cobra, and so kubectl, has them from a program: a line each, value and description parted by a tab, and a last one with
 * a colon and a number: 4 for no file names, 2 for no space behind the value.
 */
export function candidatesText({ list, unfinished, files }: Candidates): string {
  const lines = list
    .filter(({ value }) => isTypable.test(value))
    .map(({ value, description }) =>
      description === undefined ? value : `${value}\t${visible(description.replace(/\s+/g, " "))}`,
    );
  const directive = (files ? 0 : 4) + (unfinished ? 2 : 0);
  return [...lines, `:${directive}`].join("\n");
}
