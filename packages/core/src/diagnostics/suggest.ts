/** The candidate that was probably meant, or undefined when nothing is near. */
export function suggest(found: string, candidates: readonly string[]): string | undefined {
  const folded = fold(found);
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const distance = editDistance(folded, fold(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  const tolerance = found.length < 3 ? 0 : Math.max(1, Math.floor(found.length / 3));
  return bestDistance <= tolerance ? best : undefined;
}

/** The candidate that this is an obvious misspelling of: case, a dash, or one letter of a long enough word. */
export function misspellingOf(found: string, candidates: readonly string[]): string | undefined {
  const folded = fold(found);
  const tolerance = found.length < 5 ? 0 : found.length < 12 ? 1 : 2;
  return candidates.find((candidate) => {
    const other = fold(candidate);
    // Most fields of policies are not misspellings: they differ by more letters than that.
    return Math.abs(other.length - folded.length) <= tolerance && editDistance(folded, other) <= tolerance;
  });
}

/** ` ; did you mean ...?`, ready to be appended to a message. */
export function didYouMean(found: string, candidates: readonly string[]): string {
  const meant = suggest(found, candidates);
  return meant === undefined ? "" : `; did you mean \`${meant}\`?`;
}

/** Case, dashes and underscores are the usual mistakes. */
function fold(text: string): string {
  return text.toLowerCase().replace(/[-_\s]/g, "");
}

/** Insertions, deletions, substitutions and swapped neighbours, each counting one. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? beforePrevious[j - 2]! + 1 : Infinity;
      row.push(Math.min(substitution, swap, previous[j]! + 1, row[j - 1]! + 1));
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length]!;
}
