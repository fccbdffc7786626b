import { ok, type Result } from "../../diagnostics/result.js";
import { parseEndpoint, parseTarget, type PortRef, splitTarget } from "../endpoints/endpoint-ref.js";
import type { Question } from "./ask.js";

/** A question as texts. Without a port it is about every port; `to` may name the port as well: `shop/cart:80/TCP`. */
export function parseQuestion(
  from: string,
  to: string,
  port: (() => Result<PortRef>) | undefined,
): Result<Question> {
  const source = parseEndpoint(from);
  if (!source.ok) return source;
  const destination = parseEndpoint(to);
  if (!destination.ok) {
    // Without a port, what is wrong is the endpoint.
    if (splitTarget(to).port === undefined) return destination;
    const target = parseTarget(to);
    if (!target.ok || port !== undefined) return target.ok ? destination : target;
    return ok({ from: source.value, to: target.value.endpoint, port: target.value.port });
  }
  const asked = port === undefined ? ok<PortRef>({ kind: "all" }) : port();
  return asked.ok ? ok({ from: source.value, to: destination.value, port: asked.value }) : asked;
}
