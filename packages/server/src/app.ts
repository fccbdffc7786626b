import { visibleLines } from "@tierwall/core/report";
import { SeldomReport } from "@tierwall/kube";
import { Hono } from "hono";
import { type Operation, queryProblem } from "./api/operation.js";
import type { CurrentState } from "./current-state.js";
import type { Entry } from "./entry.js";
import { type GuardOptions, intrusion } from "./guard.js";
import { problemResponse } from "./problem.js";
import { protect } from "./protection.js";
import type { Representation } from "./representation.js";

export interface AppOptions {
  readonly state: CurrentState;
  readonly page: ReadonlyMap<string, Representation>;
  readonly operations: readonly Operation[];
  readonly guard: GuardOptions;
  /** Absent: every client is admitted. */
  readonly entry?: Entry;
}

const apiPrefix = "/api/v1";
/** Longer than any useful question. */
const longestUrl = 8192;

/**
 *   request ──► host and origin ──► login ──┬─► /api/v1/…  operations
 *               guard               entry   └─► /…         files of the page
 */
export function pageApp({ state, page, operations, guard, entry }: AppOptions): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    protect(context.res.headers);
  });
  app.use(async (context, next) => {
    const request = context.req.raw;
    const refused = intrusion(request, guard);
    if (refused !== undefined) return problemResponse(refused);
    if (request.url.length > longestUrl)
      return problemResponse({ status: 414, detail: `a question has at most ${longestUrl} characters` });
    if (entry === undefined) return next();
    if (request.method === "POST" && context.req.path === "/") return entry.logIn(request);
    const credentials = {
      authorization: context.req.header("Authorization"),
      cookie: context.req.header("Cookie"),
    };
    return entry.isOpenTo(credentials) ? next() : entry.refusal(request);
  });
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const there = operations.filter((operation) => operation.path === path);
    for (const operation of there)
      app.on(operation.method, `${apiPrefix}${path}`, (context) =>
        perform(operation, context.req.raw, state),
      );
    app.all(`${apiPrefix}${path}`, () => notThatMethod(there.map(({ method }) => method)));
  }
  for (const [path, file] of page) {
    app.get(path, (context) => file.answer(context.req.raw));
    app.all(path, () => notThatMethod(["GET"]));
  }
  const known = operations.map(({ path }) => `${apiPrefix}${path}`);
  app.notFound(({ req }) =>
    problemResponse({
      status: 404,
      detail: `there is nothing at \`${req.path}\`; known are / and ${known.join(", ")}`,
    }),
  );
  const trouble = new SeldomReport((message) => void process.stderr.write(`${message}\n`));
  app.onError((error) => {
    // A client that hangs up while its body is read is no failure of the server.
    if ((error as NodeJS.ErrnoException).code !== "ECONNRESET")
      trouble.report(visibleLines(`a request failed, please report this: ${error.stack ?? error.message}`));
    return problemResponse({
      status: 500,
      detail: "this is a bug in tierwall; its log has more",
    });
  });
  return app;
}

async function perform(operation: Operation, request: Request, state: CurrentState): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const problem = queryProblem(query, operation.parameters);
  if (problem !== undefined) return problemResponse(problem);
  // The first requests wait for the cluster.
  await state.started;
  return operation.answer({ request, query, state });
}

function notThatMethod(methods: readonly Operation["method"][]): Response {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return problemResponse({
    status: 405,
    detail: `use ${allowed}`,
    headers: { Allow: allowed },
  });
}
