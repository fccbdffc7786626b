import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { HttpListener, isLoopback, type ListenerLimits } from "@tierwall/kube";
import { pageFolder } from "@tierwall/ui";
import { type EventTimes, usualEventTimes } from "./api/events.js";
import { operations, pageOperations } from "./api/operations.js";
import { longestBody } from "./api/sent-manifests.js";
import { pageApp } from "./app.js";
import { CurrentState } from "./current-state.js";
import { Entry } from "./entry.js";
import type { StateFeed } from "./feed.js";
import { readPage } from "./page-files.js";
import { type Problem, problemText, problemType } from "./problem.js";

export interface PageOptions {
  readonly feed: StateFeed;
  /** 0: any that is free. */
  readonly port: number;
  /** How many of the following ports are tried when this one is in use. */
  readonly otherPorts?: number;
  /** Loopback by default. */
  readonly address?: string;
  /** Names under which the page is reached, in addition to the address. */
  readonly hosts?: readonly string[];
  /** Clients need it to log in. Where other machines can reach the address, one is generated if there is none. */
  readonly token?: string;
  /** `page`: only what the page itself asks for, where the process has other work than answering questions. */
  readonly answers?: "all" | "page";
  /** The built page. */
  readonly folder?: URL;
  readonly eventTimes?: EventTimes;
}

export interface RunningPage {
  readonly url: string;
  readonly port: number;
  /** Resolves once there is a state: reading a cluster may take long. */
  readonly known: Promise<void>;
  /** What to log in with; absent where no login is needed. */
  readonly token?: string;
  readonly close: () => Promise<void>;
}

export type StartedPage =
  | { readonly ok: true; readonly page: RunningPage }
  | { readonly ok: false; readonly message: string };

/** Serves the page and its API until it is closed. No request changes anything. */
export async function startPage(options: PageOptions): Promise<StartedPage> {
  const { address = "127.0.0.1", hosts = [], folder = pageFolder, eventTimes = usualEventTimes } = options;
  const token = options.token ?? (isLoopback(address) ? undefined : randomBytes(24).toString("base64url"));
  const state = new CurrentState(options.feed);
  const entry = token === undefined ? undefined : new Entry(token);
  const app = pageApp({
    state,
    page: readPage(folder),
    operations: options.answers === "page" ? pageOperations(eventTimes) : operations(eventTimes),
    guard: { address, hosts },
    ...(entry === undefined ? {} : { entry }),
  });
  const handle = getRequestListener(app.fetch);
  const listener = new HttpListener({
    handle: (request, response) => handle(request, response),
    ...(entry === undefined ? {} : { isGuest: ({ headers }) => !entry.isOpenTo(headers) }),
    limits,
    refusalBody: ({ status, message }) => ({
      type: problemType,
      text: problemText({ status: status as Problem["status"], detail: message }),
    }),
    onTrouble: (message) => void process.stderr.write(`${message}\n`),
  });
  const listening = await listen(listener, address, options.port, options.otherPorts ?? 0);
  if (!listening.ok) return listening;
  const { port } = listening;
  return {
    ok: true,
    page: {
      url: `http://${isIPv6(address) ? `[${address}]` : address}:${port}/`,
      port,
      known: state.started,
      ...(token === undefined ? {} : { token }),
      close: async () => {
        await state.stop();
        await listener.close();
      },
    },
  };
}

/** A page keeps a stream of events open, and asks for several things at once; many may come through one proxy. */
const limits: Partial<ListenerLimits> = {
  connections: 512,
  requests: 400,
  requestsPerAddress: 400,
  // Clients that did not log in: their requests are answered at once, except for the body of the form.
  guests: { requests: 64, requestsPerAddress: 8, requestTime: 5000 },
  // Most responses are one text for all clients.
  unreadAnswers: 512,
  body: longestBody,
  requestTime: 60_000,
  silence: 120_000,
  unread: 20_000,
};

async function listen(
  listener: HttpListener,
  host: string,
  port: number,
  others: number,
): Promise<{ readonly ok: true; readonly port: number } | { readonly ok: false; readonly message: string }> {
  let refused: NodeJS.ErrnoException | undefined;
  for (let next = port; next <= Math.min(port + others, 65535); next++) {
    try {
      return { ok: true, port: await listener.listen({ host, port: next }) };
    } catch (cause) {
      refused ??= cause as NodeJS.ErrnoException;
      if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") break;
    }
  }
  return { ok: false, message: refusal(refused!, host, port) };
}

function refusal({ code, message }: NodeJS.ErrnoException, address: string, port: number): string {
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${address} is taken; choose another with --port, or any that is free with --port 0`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `\`${address}\` is no address of this machine; --address takes one that is, or 0.0.0.0 for all`;
    case "EACCES":
      return `port ${port} may not be used by this user; choose one above 1023 with --port`;
    default:
      return `${address}:${port} cannot be used: ${message}`;
  }
}
