import { chmodSync, existsSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { dirname } from "node:path";
import { makeFolder, messageOf } from "@tierwall/kube";
import type { Outcome } from "../kernel/outcome.js";
import type { HitsReport } from "./hits.js";
import type { AgentStatus } from "./status.js";

/*
 * How commands talk to the agent that runs: HTTP over a unix socket that only root may open.
 *
 *   GET /status   GET /hits   POST /confirm   POST /give-up
 *
 * An answer is JSON: what was asked for, or `{"error": …}` with words for the user.
 */

export interface ControlHandlers {
  readonly status: () => AgentStatus;
  /** Reads counters first, so that it is of now. */
  readonly hits: () => Promise<HitsReport>;
  /** Each says what it did, or that there was nothing to do. */
  readonly confirm: () => Promise<Outcome<string>>;
  readonly giveUp: () => Promise<Outcome<string>>;
}

/** Rejects where the socket cannot be had: another agent answers there, or the folder is not writable. */
export async function serveControl(
  socket: string,
  handlers: ControlHandlers,
): Promise<{ readonly close: () => Promise<void> }> {
  if (await answers(socket))
    throw new Error(`another agent answers at \`${socket}\`; --control takes another`);
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
    throw new Error(`\`${socket}\` cannot be listened at: ${messageOf(cause)}; --control takes another`, {
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
        body: { error: `the agent does not know \`${method} ${url}\`: is it of another version?` },
      };
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  // Without `close` the connection would outlive its answer, and hold up the end of the agent.
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
    // The socket is there as soon as listen returns; nobody is let in before this process turns to its events.
    if (existsSync(socket)) chmodSync(socket, 0o600);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Who asked for the end is still to be answered.
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
