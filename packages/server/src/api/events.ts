import { problemResponse } from "../problem.js";
import type { Call, Operation } from "./operation.js";

export interface EventTimes {
  /** Proxies end connections that are silent for long. */
  readonly heartbeatMilliseconds: number;
  /** How long a browser waits before it connects again. */
  readonly retryMilliseconds: number;
}

export const usualEventTimes: EventTimes = { heartbeatMilliseconds: 15_000, retryMilliseconds: 2000 };

/** One for each open page; more are not expected. */
const mostStreams = 200;

/** Server-sent events: `state`, with the revision, when the state changes. */
export function eventsOperation(times: EventTimes): Operation {
  let streams = 0;
  return {
    method: "GET",
    path: "/events",
    parameters: {},
    answer: ({ request, state }) => {
      if (streams >= mostStreams)
        return problemResponse({
          status: 503,
          detail: `${mostStreams} pages listen already; close some of them`,
          headers: { "Retry-After": "30" },
        });
      const headers = {
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",
      };
      if (request.method === "HEAD") return new Response(null, { headers });
      streams++;
      const body = streamOf(state, request.headers.get("Last-Event-ID"), times, () => streams--);
      return new Response(body, { headers });
    },
  };
}

function streamOf(
  state: Call["state"],
  known: string | null,
  { heartbeatMilliseconds, retryMilliseconds }: EventTimes,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = () => undefined as void;
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const sendRevision = () => {
        const { revision } = state;
        send(`id: ${revision}\nevent: state\ndata: ${JSON.stringify({ revision })}\n\n`);
      };
      send(`retry: ${retryMilliseconds}\n\n`);
      // A new client may have read the state a moment before; one that returns, long ago.
      if (known !== state.revision) sendRevision();
      const stopListening = state.listen(sendRevision);
      const heartbeat = setInterval(() => send(": still here\n\n"), heartbeatMilliseconds);
      end = () => {
        clearInterval(heartbeat);
        stopListening();
        ended();
      };
    },
    cancel: () => end(),
  });
}
