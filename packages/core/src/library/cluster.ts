import { compareStates } from "../analysis/changes/compare.js";
import { parseEndpoint, parsePort } from "../analysis/endpoints/endpoint-ref.js";
import type { Grain } from "../analysis/endpoints/party.js";
import { ask, type OverallVerdict, type Question } from "../analysis/explain/ask.js";
import { explain } from "../analysis/explain/explain.js";
import { parseQuestion } from "../analysis/explain/parse-question.js";
import { lint, type LintOptions } from "../analysis/lint/lint.js";
import { lookup } from "../analysis/lookup/lookup.js";
import { matrixOf } from "../analysis/matrix/matrix.js";
import { type Diagnostic, hasErrors } from "../diagnostics/diagnostic.js";
import { failed, ok, type Result } from "../diagnostics/result.js";
import { compile, type Engine } from "../engine/index.js";
import type { Source } from "../manifest/source.js";
import type { ClusterOptions } from "../state/cluster-options.js";
import { readState, type State } from "../state/state.js";
import { readOptions } from "../state/written-options.js";
import { DiffAnswer, ExplainAnswer, LintAnswer, LookupAnswer } from "./answers.js";
import { MatrixAnswer, type MatrixOptions, matrixQuestion } from "./matrix-answer.js";

/** What a `Cluster` is made of, for callers that have read a state themselves. */
export interface ClusterParts {
  /** The cluster and its policies, as `@tierwall/core/state` reads them. */
  readonly state: State;
  /** What the state was read from. Exceptions in comments, and lines to quote, are looked up there. */
  readonly sources?: readonly Source[];
  /** Everything that is known about the input; by default what the state reports. */
  readonly diagnostics?: readonly Diagnostic[];
}

/**
 * A cluster and its network policies, read from manifests, and the questions that can be asked about it.
 *
 * Nothing is thrown: a question that cannot be answered returns `{ ok: false, diagnostic }`. An endpoint is written as on the
 * command line: `NAMESPACE/POD`, `NAMESPACE/KIND/NAME` for a workload or a Service, `node:NAME`, an IP address, or
 * `new:K=V,…/K=V,…` for a pod that does not exist yet (the labels of its namespace, and its own).
 */
export class Cluster {
  /** The cluster and its policies, for the functions of the other doors. */
  readonly state: State;
  /** Everything to report about the input: errors, warnings and notes, with file and line. */
  readonly diagnostics: readonly Diagnostic[];
  /** What it was read from. */
  readonly sources: readonly Source[];
  private compiled: Engine | undefined;
  private linted: LintAnswer | undefined;

  /** For callers that have read a state themselves; `Cluster.read` reads one. */
  constructor(parts: ClusterParts) {
    this.state = parts.state;
    this.sources = parts.sources ?? [];
    this.diagnostics = parts.diagnostics ?? parts.state.diagnostics;
  }

  /**
   * Reads manifests, YAML or JSON. Always returns a cluster; `usable` is whether its questions can be answered. Throws only
   * where an option is not a CIDR or an IP address.
   */
  static read(files: readonly Source[], options: ClusterOptions = {}): Cluster {
    return new Cluster({ state: readState(files, readOptions(options)), sources: files });
  }

  /** Whether questions are answered: the input has no errors, or `keepGoing` skips objects with errors. */
  get usable(): boolean {
    const known = new Set(this.state.diagnostics);
    return this.state.usable && !hasErrors(this.diagnostics.filter((found) => !known.has(found)));
  }

  /** The verdicts of all connections, compiled once. For the functions of `@tierwall/core/engine`. */
  get engine(): Engine {
    this.compiled ??= compile(this.state.cluster, this.state.tiers);
    return this.compiled;
  }

  /**
   * The verdict alone. The destination names its port, `payments/api:8443/TCP`, or `port` does; without a port the question is
   * about every port. `Mixed` where the connections that the question means differ, as for replicas or several ports.
   */
  verdict(from: string, to: string, port?: string): Result<OverallVerdict> {
    return this.answer(questionIn(from, to, port), (question) => {
      const answered =
        question.port.kind === "all" ? explain(this.state, question) : ask(this.state, question);
      return answered.ok ? ok(answered.value.verdict) : answered;
    });
  }

  /** Why a connection is allowed or denied: each tier and rule on the way, and the line that decides. */
  explain(from: string, to: string, port?: string): Result<ExplainAnswer>;
  explain(question: Question): Result<ExplainAnswer>;
  explain(from: string | Question, to = "", port?: string): Result<ExplainAnswer> {
    const asked = typeof from === "string" ? questionIn(from, to, port) : ok(from);
    return this.answer(asked, (question) => {
      const explained = explain(this.state, question);
      return explained.ok ? ok(new ExplainAnswer(this, explained.value)) : explained;
    });
  }

  /** Who can reach whom, on which ports: all connections, or those that the options select. */
  matrix(options: MatrixOptions = {}): Result<MatrixAnswer> {
    return this.answer(matrixQuestion(options), (question) => {
      const matrix = matrixOf(this.engine, question);
      return matrix.ok ? ok(new MatrixAnswer(this, matrix.value)) : matrix;
    });
  }

  /** Every rule that can affect an endpoint, and which of them never decide. */
  lookup(endpoint: string): Result<LookupAnswer> {
    return this.answer(parseEndpoint(endpoint), (ref) => {
      const found = lookup(this.state, ref);
      return found.ok ? ok(new LookupAnswer(this, found.value)) : found;
    });
  }

  /** What is valid and probably not meant. Of a cluster that is not usable, its errors. */
  lint(options: Pick<LintOptions, "budget" | "progress"> = {}): LintAnswer {
    const compiled = this.compiled === undefined ? {} : { engine: this.compiled };
    this.linted ??= new LintAnswer(
      this,
      lint(this.state, { sources: this.sources, ...compiled, ...options }),
    );
    return this.linted;
  }

  /** What another state of the cluster allows or denies differently, and which rules make the difference. */
  diff(after: Cluster, by: Grain = "workload"): Result<DiffAnswer> {
    return this.answer(after.answer(ok(by), ok), (grain) =>
      ok(new DiffAnswer(this, after, compareStates(this.state, after.state, grain))),
    );
  }

  /** A question that can be read, about a state that can be evaluated. */
  private answer<Q, A>(question: Result<Q>, answer: (question: Q) => Result<A>): Result<A> {
    if (!this.usable) return failed(this.diagnostics.find(({ severity }) => severity === "error")!);
    return question.ok ? answer(question.value) : question;
  }
}

const questionIn = (from: string, to: string, port: string | undefined): Result<Question> =>
  parseQuestion(from, to, port === undefined ? undefined : () => parsePort(port));
