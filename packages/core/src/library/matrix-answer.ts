import { implementationCaveatsOfAll } from "../analysis/enforcers/implementation-caveats.js";
import { parsePort, type PortRef } from "../analysis/endpoints/endpoint-ref.js";
import type { Grain } from "../analysis/endpoints/party.js";
import type { UndecidedPorts } from "../analysis/matrix/cells.js";
import type { Connection, Matrix } from "../analysis/matrix/matrix.js";
import type { MatrixQuestion } from "../analysis/matrix/question.js";
import { ok, type Result, refused } from "../diagnostics/result.js";
import type { LabelMatch } from "../labels/requirement.js";
import { parseSelector } from "../labels/selector-text.js";
import { caveatsJson } from "../report/caveats.js";
import { matrixCsv } from "../report/matrix/matrix-csv.js";
import { matrixDot } from "../report/matrix/matrix-dot.js";
import { matrixJson } from "../report/matrix/matrix-json.js";
import { matrixMarkdown } from "../report/matrix/matrix-markdown.js";
import { pictureOf } from "../report/matrix/matrix-picture.js";
import { matrixSvg } from "../report/matrix/matrix-svg.js";
import { matrixText } from "../report/matrix/matrix-text.js";
import { noStyle, type Style } from "../report/style.js";
import { type Caveat, caveatsOfAll } from "../state/caveat.js";
import { type Answered, remarksJson } from "./answers.js";

/** Which connections a matrix is about. Everything that is left out selects all. */
export interface MatrixOptions {
  /** What a row is; by default a workload. */
  readonly by?: Grain;
  /** Only connections from these: an endpoint, a namespace, a CIDR, or a name with `*`. */
  readonly from?: readonly string[];
  /** Only connections to these. */
  readonly to?: readonly string[];
  /** Only connections with an endpoint in one of these namespaces. */
  readonly namespaces?: readonly string[];
  /** Only connections with an endpoint that has these labels: `app=web,tier!=db`. */
  readonly selector?: string | LabelMatch;
  /** Only these ports: `443`, `53/UDP`, `ICMP`. */
  readonly ports?: readonly string[];
  /** How ports are treated whose verdict depends on missing information; by default they are shown. */
  readonly undecided?: UndecidedPorts;
}

/** How a matrix is written. */
export type MatrixFormat = "text" | "json" | "csv" | "md" | "dot" | "svg";

/** How the text of a matrix looks. */
export interface MatrixRenderOptions {
  /** Colours and weight; by default plain text. */
  readonly style?: Style;
  /** Also pairs without allowed connections. */
  readonly denied?: boolean;
  /** About how many lines of text there are at most; by default all. */
  readonly lines?: number;
}

/** Who can reach whom, on which ports. */
export class MatrixAnswer {
  private found: readonly Caveat[] | undefined;

  constructor(
    private readonly about: Answered,
    /** The cells of all pairs, for the functions of the other doors. */
    readonly matrix: Matrix,
  ) {}

  /** The connections on which something is allowed, or undecided; with `denied`, all of them. */
  connections(options: { readonly denied?: boolean } = {}): Iterable<Connection> {
    return this.matrix.connections({ denied: options.denied ?? false });
  }

  /** Caveats of the answer, such as policies that are not evaluated. */
  get caveats(): readonly Caveat[] {
    const { state } = this.about;
    this.found ??= [...caveatsOfAll(state), ...implementationCaveatsOfAll(state)];
    return this.found;
  }

  /** What `tierwall matrix` prints. */
  text(options: MatrixRenderOptions = {}): string {
    return [...this.lines("text", options)].join("\n");
  }

  /** What `tierwall matrix -o FORMAT` prints, line by line, as there may be more than a string can hold. */
  lines(format: MatrixFormat, options: MatrixRenderOptions = {}): Iterable<string> {
    const { matrix, caveats } = this;
    const { denied = false, style = noStyle, lines } = options;
    switch (format) {
      case "text":
        return matrixText(matrix, { denied, caveats, style, ...(lines === undefined ? {} : { lines }) });
      case "json":
        return matrixJson(matrix, {
          denied,
          caveats: caveatsJson(caveats),
          remarks: remarksJson(this.about.diagnostics),
        });
      case "csv":
        return matrixCsv(matrix, { denied });
      case "md":
        return matrixMarkdown(matrix, { denied, caveats });
      case "dot":
        return matrixDot(matrix, { denied, caveats });
      case "svg":
        return matrixSvg(pictureOf(matrix), { caveats });
    }
  }
}

/** The question that the options ask. */
export function matrixQuestion(options: MatrixOptions): Result<MatrixQuestion> {
  const ports: PortRef[] = [];
  for (const text of options.ports ?? []) {
    const port = parsePort(text);
    if (!port.ok) return port;
    ports.push(port.value);
  }
  const { by = "workload", from = [], to = [], namespaces = [], selector = [], undecided = "show" } = options;
  const labels = typeof selector === "string" ? labelsIn(selector) : ok(selector);
  return labels.ok ? ok({ by, from, to, namespaces, labels: labels.value, ports, undecided }) : labels;
}

function labelsIn(selector: string): Result<LabelMatch> {
  const labels = parseSelector(selector);
  if (labels !== undefined) return ok(labels);
  const message = `\`${selector}\` is not a label selector, such as app=web,tier!=db or "env in (dev, test)"`;
  return refused("TW1502", message);
}
