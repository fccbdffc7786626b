import { createHash } from "node:crypto";
import type { Connection } from "../cluster/connection.js";
import { valueAt } from "../cluster/object-fields.js";
import { ReviewBudget } from "./review-budget.js";
import { review, type ReviewedUser, subjectAccess, userIn } from "./subject-access.js";

/** Whether a request may read metrics; `unavailable`: that could not be found out. */
export type AccessDecision = "allowed" | "unauthenticated" | "forbidden" | "unavailable";

export interface MetricsAccess {
  /** From the header `Authorization`, and the address of the client. */
  check(authorization: string | undefined, address: string): Promise<AccessDecision>;
}

/** Longer than tokens of service accounts, and of most identity providers. */
const longestToken = 8192;
const mostKnown = 256;
/** Milliseconds. */
const reviewTime = 5000;
const usualLives = { allowed: 60_000, refused: 10_000 } as const;

interface Known {
  readonly decision: "allowed" | "unauthenticated" | "forbidden";
  readonly until: number;
}

/**
 * Admits clients whose bearer token belongs to an account that may `get` the non-resource URL `/metrics`, according to the API server
 * (TokenReview, then SubjectAccessReview). Its answer is cached briefly, by the digest of the token. While it does not answer, no
 * client is admitted.
 */
export class TokenAccess implements MetricsAccess {
  /** Oldest first. */
  private readonly known = new Map<string, Known>();
  private readonly asking = new Map<string, Promise<AccessDecision>>();
  /** Every client can send tokens: that must not become load on the API server. */
  private readonly budget: ReviewBudget;

  constructor(
    private readonly connection: Connection,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.budget = new ReviewBudget(now);
  }

  async check(authorization: string | undefined, address: string): Promise<AccessDecision> {
    const decision = await this.decisionFor(authorization, address);
    if (decision === "allowed") this.budget.trust(address);
    return decision;
  }

  private async decisionFor(authorization: string | undefined, address: string): Promise<AccessDecision> {
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined || token.length > longestToken) return "unauthenticated";
    const digest = createHash("sha256").update(token).digest("base64url");
    const known = this.known.get(digest);
    if (known !== undefined && this.now() < known.until) return known.decision;
    const asked = this.asking.get(digest);
    if (asked !== undefined) return asked;
    // A token that was good a moment ago is asked about again in any case: strangers cannot keep Prometheus out.
    if (known?.decision !== "allowed" && !this.budget.take(address)) return "unavailable";
    const asking = this.ask(token)
      .then(
        (decision) => this.keep(digest, decision),
        (): AccessDecision => "unavailable",
      )
      .finally(() => this.asking.delete(digest));
    this.asking.set(digest, asking);
    return asking;
  }

  private keep(digest: string, decision: Known["decision"]): AccessDecision {
    const life = decision === "allowed" ? usualLives.allowed : usualLives.refused;
    this.known.delete(digest);
    this.known.set(digest, { decision, until: this.now() + life });
    if (this.known.size > mostKnown) this.known.delete(this.leastUseful());
    return decision;
  }

  /** Tokens that were refused go first: any client can invent any number of them. */
  private leastUseful(): string {
    for (const [digest, { decision }] of this.known) if (decision !== "allowed") return digest;
    return this.known.keys().next().value!;
  }

  private async ask(token: string): Promise<Known["decision"]> {
    const user = await this.userOf(token);
    if (user === undefined) return "unauthenticated";
    const isAllowed = await subjectAccess(
      this.connection,
      user,
      { nonResourceAttributes: { path: "/metrics", verb: "get" } },
      AbortSignal.timeout(reviewTime),
    );
    return isAllowed ? "allowed" : "forbidden";
  }

  private async userOf(token: string): Promise<ReviewedUser | undefined> {
    const signal = AbortSignal.timeout(reviewTime);
    const status = await review(this.connection, "authentication.k8s.io", "TokenReview", { token }, signal);
    const isKnown = valueAt(status, "authenticated") === true;
    return isKnown ? userIn(valueAt(status, "user")) : undefined;
  }
}
