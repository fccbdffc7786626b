import type { Grain, Result, UndecidedPorts } from "@tierwall/core";
import {
  implementationCaveatsOfAll,
  matrixOf,
  type MatrixQuestion,
  parsePort,
  type PortRef,
} from "@tierwall/core/analysis";
import { diagnostic } from "@tierwall/core/manifest";
import { parseSelector } from "@tierwall/core/model";
import { caveatsJson, matrixJson } from "@tierwall/core/report";
import { caveatsOfAll } from "@tierwall/core/state";
import { problemResponse } from "../problem.js";
import { jsonLines } from "./json-lines.js";
import { grainParameter, type Operation, refused, remarks } from "./operation.js";

/** Who can reach whom: what `tierwall matrix -o json` says. */
export const matrixOperation: Operation = {
  method: "GET",
  path: "/matrix",
  parameters: {
    by: grainParameter,
    from: { given: "any-times" },
    to: { given: "any-times" },
    namespace: { given: "any-times" },
    selector: { given: "at-most-once" },
    port: { given: "any-times" },
    undecided: { given: "at-most-once", choices: ["show", "allow", "deny"] },
    denied: { given: "at-most-once", choices: ["true", "false"] },
  },
  answer: ({ request, query, state: { reading } }) => {
    if (reading.trouble !== undefined) return problemResponse(reading.trouble);
    const question = questionIn(query);
    const made = question.ok ? matrixOf(reading.engine, question.value) : question;
    if (!made.ok) return problemResponse(refused(made.diagnostic));
    const lines = matrixJson(made.value, {
      denied: query.get("denied") === "true",
      caveats: caveatsJson([...caveatsOfAll(reading.state), ...implementationCaveatsOfAll(reading.state)]),
      remarks: remarks(reading.state.diagnostics),
    });
    return jsonLines(request, lines);
  },
};

function questionIn(query: URLSearchParams): Result<MatrixQuestion> {
  const ports: PortRef[] = [];
  for (const text of query.getAll("port")) {
    const port = parsePort(text);
    if (!port.ok) return port;
    ports.push(port.value);
  }
  const selector = query.get("selector") ?? undefined;
  const labels = selector === undefined ? [] : parseSelector(selector);
  if (labels === undefined) {
    const message = `\`${selector}\` is not a label selector, such as app=web,tier!=db or "env in (dev, test)"`;
    return { ok: false, diagnostic: diagnostic("TW1502", message) };
  }
  return {
    ok: true,
    value: {
      by: (query.get("by") ?? "workload") as Grain,
      from: query.getAll("from"),
      to: query.getAll("to"),
      namespaces: query.getAll("namespace"),
      labels,
      ports,
      undecided: (query.get("undecided") ?? "show") as UndecidedPorts,
    },
  };
}
