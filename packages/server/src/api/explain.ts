import type { Question, Result } from "@tierwall/core";
import { explain, parseEndpoint, parsePort, parseTarget } from "@tierwall/core/analysis";
import { explanationJson } from "@tierwall/core/report";
import { problemResponse } from "../problem.js";
import { json, type Operation, refused, remarks } from "./operation.js";

/** Why a connection is allowed or denied: what `tierwall explain -o json` says. */
export const explainOperation: Operation = {
  method: "GET",
  path: "/explain",
  parameters: { from: { given: "always" }, to: { given: "always" }, port: { given: "at-most-once" } },
  answer: async ({ request, query, state: { reading } }) => {
    const { trouble, state } = reading;
    if (trouble !== undefined) return problemResponse(trouble);
    const question = questionIn(query.get("from")!, query.get("to")!, query.get("port") ?? undefined);
    const explained = question.ok ? explain(state, question.value) : question;
    if (!explained.ok) return problemResponse(refused(explained.diagnostic));
    return json(request, {
      ...(explanationJson(explained.value) as object),
      remarks: remarks(state.diagnostics),
    });
  },
};

/** Without a port, about every port. `to` may name it too: `shop/cart:80/TCP`. */
function questionIn(from: string, to: string, portText: string | undefined): Result<Question> {
  const source = parseEndpoint(from);
  if (!source.ok) return source;
  const destination = parseEndpoint(to);
  if (!destination.ok) {
    const target = parseTarget(to);
    if (!target.ok || portText !== undefined) return target.ok ? destination : target;
    const { endpoint, port } = target.value;
    return { ok: true, value: { from: source.value, to: endpoint, port } };
  }
  const port =
    portText === undefined ? { ok: true as const, value: { kind: "all" as const } } : parsePort(portText);
  if (!port.ok) return port;
  return { ok: true, value: { from: source.value, to: destination.value, port: port.value } };
}
