import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { JsonObject } from "@tierwall/core/manifest";
import type { Connection, KubeRequest } from "../src/cluster/connection.js";

/** For tests: an API server with scripted answers. */
export function scriptedConnection(
  answer: (request: KubeRequest) => { readonly status: number; readonly body: JsonObject },
): Connection {
  return {
    context: "test",
    server: "https://test",
    namespace: undefined,
    send: async (request) => {
      const { status, body } = answer(request);
      const response = Readable.from([Buffer.from(JSON.stringify(body))]);
      return Object.assign(response, { statusCode: status, headers: {} }) as unknown as IncomingMessage;
    },
  };
}
