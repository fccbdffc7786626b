import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Why a request is not answered. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export type RefusalBody = (refusal: Refusal) => { readonly type: string; readonly text: string };

/** Ends the connection as well: what is left of a body must not be read as another request. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  bodyOf: RefusalBody = plainBody,
): void {
  const { type, text } = bodyOf({ status, message });
  response.writeHead(status, { "content-type": type, connection: "close" }).end(text);
}

const plainBody = ({ message }: Refusal) => ({ type: "text/plain; charset=utf-8", text: `${message}\n` });

/** Where Node read no request that could be answered. */
export function refuseRaw(socket: Duplex, status: number): void {
  socket.on("error", () => undefined);
  socket.write(
    `HTTP/1.1 ${status} ${reasons[status] ?? "Bad Request"}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  (socket as Socket).destroySoon();
}

const reasons: Readonly<Record<number, string>> = {
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
};

export function statusOf({ code }: NodeJS.ErrnoException): number {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413;
    case "HPE_HEADER_OVERFLOW":
      return 431;
    default:
      return 400;
  }
}
