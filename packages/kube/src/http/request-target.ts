/** The part of a request line that names what is asked for. */
export interface RequestTarget {
  /** As it was sent: not decoded, and without dot segments removed. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Reads the origin form (`/metrics?x=1`) and the absolute form (`http://host/metrics`), which RFC 9112 has every server accept. Undefined
 * for all others: `*`, the authority form of CONNECT, and anything else that the parser accepts. Never throws.
 */
export function requestTarget(text: string | undefined): RequestTarget | undefined {
  const [, path, query] =
    /^(?:https?:\/\/[^/?#]+)?(\/[^?#]*)?(?:\?([^#]*))?(?:#.*)?$/is.exec(text ?? "") ?? [];
  if (path === undefined) return undefined;
  return { path, query: new URLSearchParams(query ?? "") };
}
