import { useSyncExternalStore } from "react";

/** What the address bar says: a page, and the question asked there. `#/explain?from=shop/cart&to=payments/api&port=443/TCP` */
export interface PageAddress {
  readonly page: string;
  readonly query: Readonly<Record<string, string>>;
}

export function useAddress(): PageAddress {
  return parseAddressBar(useSyncExternalStore(subscribe, () => location.hash));
}

/** For links, also shared ones. Empty values are left out. */
export function hrefOf(page: string, query: PageAddress["query"] = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== "");
  const text = pairs.map(([key, value]) => `${readable(key)}=${readable(value)}`).join("&");
  return `#/${page}${text === "" ? "" : `?${text}`}`;
}

/**
 * `replace` where going back should not lead through every step on the way. Only the page that is shown replaces its own
 * address: an answer may arrive after the user followed a link to another page, and must not bring the user back.
 */
export function go(page: string, query: PageAddress["query"] = {}, how: "push" | "replace" = "push"): void {
  const href = hrefOf(page, query);
  if (href === location.hash) return;
  if (how === "push") history.pushState(undefined, "", href);
  else if (["", page].includes(parseAddressBar(location.hash).page))
    history.replaceState(undefined, "", href);
  else return;
  for (const listener of listeners) listener();
}

export function parseAddressBar(hash: string): PageAddress {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { page: path, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** Slashes and colons need no escapes here, and names are full of them. */
function readable(text: string): string {
  return encodeURIComponent(text).replace(/%2F|%3A|%2C|%40/g, decodeURIComponent);
}

/** `pushState` dispatches no event, so we call these. */
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  addEventListener("hashchange", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
    removeEventListener("hashchange", listener);
  };
}
