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
          const body = parsedJson(text);
          if (response.statusCode === 200 && body !== undefined)
            resolve({ ok: true, value: body as Routes[Route] });
          else fail(textAt(body, "error") || `what answers at \`${socket}\` is no agent of Tierwall's`);
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
