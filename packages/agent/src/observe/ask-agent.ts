import { request } from "node:http";
import { textAt } from "@tierwall/kube";
import type { Outcome } from "../kernel/outcome.js";
import type { HitsReport } from "./hits.js";
import { parsedJson } from "./parsed-json.js";
import type { AgentStatus } from "./status.js";

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
