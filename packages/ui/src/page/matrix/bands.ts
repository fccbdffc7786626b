/** Neighbours in one namespace. */
export interface Band {
  readonly name: string;
  readonly first: number;
  /** Behind the last. */
  readonly behind: number;
}

export function bandsOf(ends: readonly { readonly band: string }[]): readonly Band[] {
  const found: Band[] = [];
  for (let first = 0; first < ends.length; ) {
    const { band: name } = ends[first]!;
    let behind = first;
    while (behind < ends.length && ends[behind]!.band === name) behind++;
    found.push({ name, first, behind });
    first = behind;
  }
  return found;
}
