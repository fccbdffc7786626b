import { isIP } from "node:net";

/** `127.0.0.1:9465`, `[::1]:9465`, `:9465`. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: bracketed ?? (plain === "" || plain === undefined ? "::" : plain), port: Number(port) };
}

/** Only processes on this machine reach it. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
