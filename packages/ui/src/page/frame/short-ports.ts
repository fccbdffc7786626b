/** A list of a hundred ranges says nothing that its beginning does not. */
export function shortPorts(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 56).replace(/[^,\s]*$/, "")}…`;
}
