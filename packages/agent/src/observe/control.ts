import { chmodSync, existsSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { dirname } from "node:path";
import { makeFolder, messageOf, textAt } from "@tierwall/kube";
import type { Outcome } from "../kernel/outcome.js";
import type { HitsReport } from "./hits.js";
import { parsedJson } from "./parsed-json.js";
import type { AgentStatus } from "./status.js";

/*
 * How commands communicate with the running agent: HTTP over a unix socket that only root can open.
 *
 *   GET /status   GET /hits   POST /confirm   POST /give-up
 *
 * An answer is JSON: the result, or `{"error": …}` with a message for the user.
 */

export interface ControlHandlers {
  readonly status: () => AgentStatus;
  /** Reads counters first, so that it is current. */
  readonly hits: () => Promise<HitsReport>;
  /** Each returns what it did, or that there was nothing to do. */
  readonly confirm: () => Promise<Outcome<string>>;
  readonly giveUp: () => Promise<Outcome<string>>;
}

/** Rejects if it cannot listen on the socket: another agent does, or the folder is not writable. */
export async function serveControl(
  socket: string,
  handlers: ControlHandlers,
): Promise<{ readonly close: () => Promise<void> }> {
  if (await answers(socket))
    throw new Error(`another agent listens on \`${socket}\`; set --control to another socket`);
  const server = createServer((incoming, response) => {
    handle(incoming, handlers).then(
      ({ status, body }) => send(response, status, body),
      (cause: unknown) => send(response, 500, { error: messageOf(cause) }),
    );
  });
  try {
    makeFolder(dirname(socket), 0o700);
    // Left over from an agent that was killed.
    rmSync(socket, { force: true });
    await listening(server, socket);
  } catch (cause) {
    throw new Error(`cannot listen on \`${socket}\`: ${messageOf(cause)}; set --control to another socket`, {
      cause,
    });
  }
  return { close: () => closed(server) };
}

async function handle(
  { method = "", url = "" }: IncomingMessage,
  handlers: ControlHandlers,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const done = (answer: Outcome<string>) =>
    answer.ok ? { status: 200, body: answer.value } : { status: 409, body: { error: answer.message } };
  switch (`${method} ${url}`) {
    case "GET /status":
      return { status: 200, body: handlers.status() };
    case "GET /hits":
      return { status: 200, body: await handlers.hits() };
    case "POST /confirm":
      return done(await handlers.confirm());
    case "POST /give-up":
      return done(await handlers.giveUp());
    default:
      return {
        status: 404,
        body: { error: `the agent does not support \`${method} ${url}\`: it may have another version` },
      };
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  // Without `close` the connection would stay open and delay the end of the agent.
  response
    .writeHead(status, { "content-type": "application/json", connection: "close" })
    .end(JSON.stringify(body));
}

function listening(server: Server, socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, () => {
      // Such as too many open files: the next connection may succeed.
      server.on("error", () => undefined);
      resolve();
    });
    // The socket exists as soon as listen returns; connections are accepted only after this function has returned.
    if (existsSync(socket)) chmodSync(socket, 0o600);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Requests in progress are still answered.
    server.close(() => resolve());
  });
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once("error", () => resolve(false));
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
  });
}

interface Routes {
  readonly "GET /status": AgentStatus;
  readonly "GET /hits": HitsReport;
  readonly "POST /confirm": string;
  readonly "POST /give-up": string;
}

/** Sends a request to the agent that listens on a socket. Fails with the reason and what to do. */
export function askAgent<Route extends keyof Routes>(
  socket: string,
  route: Route,
): Promise<Outcome<Routes[Route]>> {
  const [method, path] = route.split(" ") as [string, string];
  return new Promise((resolve) => {
    const fail = (message: string) => resolve({ ok: false, message });
    const asked = request({ socketPath: socket, path, method, timeout, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("error", (error) => fail(noAnswer(socket, error)));
      response.on("end", () => {
        const body = parsedJson(text);
        if (response.statusCode === 200 && body !== undefined)
          resolve({ ok: true, value: body as Routes[Route] });
        else
          fail(textAt(body, "error") || `the process that listens on \`${socket}\` is not a Tierwall agent`);
      });
    });
    asked.on("timeout", () => asked.destroy(new Error(`no answer within ${timeout / 1000} s`)));
    asked.on("error", (error) => fail(noAnswer(socket, error)));
    asked.end();
  });
}

/** In milliseconds. */
const timeout = 30_000;

function noAnswer(socket: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
    case "ECONNREFUSED":
      return `no agent listens on \`${socket}\`: check that \`tierwall agent\` runs, or set --control to its socket`;
    case "EACCES":
      return `permission denied for \`${socket}\`: only root can connect to the agent`;
    default:
      return `the agent on \`${socket}\` does not answer: ${error.message}`;
  }
}
