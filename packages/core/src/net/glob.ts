/**
 * Whether a text matches a pattern in which every `*` matches any number of characters. Patterns come from policies and requests: a
 * regular expression with many stars would take a time that grows exponentially; this takes at most the product of the two lengths.
 */
export function globMatches(pattern: string, text: string): boolean {
  let [p, t] = [0, 0];
  /** The last star, and the first character that it does not match yet. */
  let [star, mark] = [-1, 0];
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++;
      mark = t;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
