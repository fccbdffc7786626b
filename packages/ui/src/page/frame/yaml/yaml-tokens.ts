/** A piece of a line of YAML, and what it is; pieces put together are the line again. */
export interface Token {
  readonly kind: "plain" | "key" | "value" | "comment" | "punctuation";
  readonly text: string;
}

const line =
  /^(\s*)((?:- +)*)(?:("[^"]*"|'[^']*'|[^\s#"'{[\]},&*!|>%@`-][^#{[]*?|-?[\w./-]+)(:)(?=\s|$))?(.*)$/;

/** Enough of YAML to be read more easily: manifests, not everything that is valid. */
export function tokensOf(text: string): readonly Token[] {
  const [, indent = "", dashes = "", key = "", colon = "", rest = ""] = line.exec(text) ?? [];
  const [value, comment] = splitComment(rest);
  const tokens: Token[] = [
    { kind: "plain", text: indent },
    { kind: "punctuation", text: dashes },
    { kind: "key", text: key },
    { kind: "punctuation", text: colon },
    ...(/^\s*[{[]/.test(value) ? flowTokens(value) : [{ kind: "value", text: value } as const]),
    { kind: "comment", text: comment },
  ];
  return tokens.filter((token) => token.text !== "");
}

/** A comment begins with a `#` at the start or behind a space, outside of quotes. */
function splitComment(text: string): readonly [string, string] {
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "#" && (at === 0 || text[at - 1] === " ")) return [text.slice(0, at), text.slice(at)];
  }
  return [text, ""];
}

/** `{app: web, tier: "1"}` on one line. */
function flowTokens(text: string): readonly Token[] {
  const pieces = text.match(
    /"[^"]*"|'[^']*'|[{}[\],]|:(?=\s|$)|[^{}[\],"':]+(?::(?!\s)[^{}[\],"']*)*|./g,
  ) ?? [text];
  return pieces.map((piece, i) => {
    if (/^[{}[\],:]$/.test(piece)) return { kind: "punctuation", text: piece };
    return { kind: pieces[i + 1] === ":" ? "key" : "value", text: piece };
  });
}
