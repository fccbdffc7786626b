import { wrap } from "@tierwall/core/report";

const columns = 80;

/** What is copied from help stays on one line: commands, and pieces of YAML. */
const isCode = /^ {2,}(?:tierwall|kubectl|npx|helm|nft|metadata:|- [{a-z])/;

/** Help within 80 columns, also the parts that commander prints as they were written. */
export function fittedHelp(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      if (line.length <= columns || isCode.test(line)) return line;
      // `  # a comment`, `  term    what it means`, or prose.
      const [lead = ""] = /^ *# |^ +\S+ {2,}|^ */.exec(line) ?? [];
      const indent = lead.trimStart().startsWith("#") ? lead : " ".repeat(lead.length);
      return wrap(lead, line.slice(lead.length), indent, columns);
    })
    .join("\n");
}
