import { request } from "node:http";
import type { Outcome } from "../kernel/outcome.js";
import type { HitsReport } from "./hits.js";
import type { AgentStatus } from "./status.js";

interface Routes {
  readonly "GET /status": AgentStatus;
  readonly "GET /hits": HitsReport;
  readonly "POST /confirm": string;
  readonly "POST /give-up": string;
}

/** Asks the agent that listens at a socket, or tells why it did not answer and what to do. */
export function askAgent<Route extends keyof Routes>(
  socket: string,
  route: Route,
): Promise<Outcome<Routes[Route]>> {
  const [method, path] = route.split(" ") as [string, string];
  return new Promise((resolve) => {
    const fail = (message: string) => resolve({ ok: false, message });
    const asked = request(
      { socketPath: socket, path, method, timeout: patience, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("error", (error) => fail(noAnswer(socket, error)));
        response.on("end", () => {
          const body = parsed(text);
          if (response.statusCode === 200 && body !== undefined)
            resolve({ ok: true, value: body as Routes[Route] });
          else fail(errorIn(body) ?? `what answers at \`${socket}\` is no agent of Tierwall's`);
        });
      },
    );
    asked.on("timeout", () => asked.destroy(new Error(`nothing came in ${patience / 1000} s`)));
    asked.on("error", (error) => fail(noAnswer(socket, error)));
    asked.end();
  });
}

const patience = 30_000;

function noAnswer(socket: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
    case "ECONNREFUSED":
      return `no agent answers at \`${socket}\`: is \`tierwall agent\` running? --control says where`;
    case "EACCES":
      return `only root may ask the agent at \`${socket}\``;
    default:
      return `the agent at \`${socket}\` does not answer: ${error.message}`;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function errorIn(body: unknown): string | undefined {
  const isError =
    typeof body === "object" && body !== null && "error" in body && typeof body.error === "string";
  return isError ? (body.error as string) : undefined;
}
