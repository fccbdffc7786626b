import { kindKey, type Readable, type ReadableScope, type Unread } from "@tierwall/core/analysis";
import { type Connection, messageOf } from "../cluster/connection.js";
import { SeldomReport } from "../http/seldom-report.js";
import { type ReviewedUser, subjectAccess } from "../http/subject-access.js";
import { guaranteeKind, policyKinds, type WatchedKind, watchedKinds } from "../cluster/kinds.js";

/** What accounts may read of a cluster. Never rejects: what could not be found out counts as not readable. */
export interface Visibility {
  /** In the whole cluster, and in one namespace. */
  readableBy(user: ReviewedUser, namespace: string | undefined, deadline: number): Promise<Readable>;
  /** The same with what they may read of `asked`; undefined where that is nothing more. */
  extended(
    user: ReviewedUser,
    readable: Readable,
    asked: readonly Unread[],
    deadline: number,
  ): Promise<Readable | undefined>;
}

/** Kinds of objects that warnings name. */
const namedKinds: readonly WatchedKind[] = [
  ...watchedKinds.filter(({ kind }) => kind === "Pod" || kind === "Node"),
  ...policyKinds,
  guaranteeKind,
];

/** For one request: of a tenant who reads more namespaces than that, only some are considered. */
const mostReviews = 24;
/** Milliseconds for the reviews of one step, of the time that is left a quarter at most. */
const longestStep = 2000;

/** Asks the API server with SubjectAccessReviews, for each request: permissions that were removed are gone at once. */
export class ReviewedVisibility implements Visibility {
  private readonly trouble: SeldomReport;

  constructor(
    private readonly connection: Connection,
    onTrouble: (message: string) => void,
  ) {
    this.trouble = new SeldomReport(onTrouble);
  }

  async readableBy(user: ReviewedUser, namespace: string | undefined, deadline: number): Promise<Readable> {
    const time = stepTime(deadline);
    const readable = new Map<string, ReadableScope>();
    await Promise.all(
      namedKinds.map(async (kind) => {
        const [everywhere, here] = await Promise.all([
          this.mayList(user, kind, undefined, time),
          namespace !== undefined && kind.isNamespaced && this.mayList(user, kind, namespace, time),
        ]);
        if (everywhere) readable.set(kindKey(kind), "all");
        else if (here && namespace !== undefined) readable.set(kindKey(kind), new Set([namespace]));
      }),
    );
    // Warnings for a user who may read everything cost less.
    const isAll = namedKinds.every((kind) => readable.get(kindKey(kind)) === "all");
    return isAll ? "everything" : readable;
  }

  async extended(
    user: ReviewedUser,
    readable: Readable,
    asked: readonly Unread[],
    deadline: number,
  ): Promise<Readable | undefined> {
    if (readable === "everything") return undefined;
    const time = stepTime(deadline);
    const more = new Map(readable);
    // What has no namespace was asked for already.
    const inNamespaces = asked.filter(({ namespace }) => namespace !== undefined).slice(0, mostReviews);
    const found = await Promise.all(
      inNamespaces.map(async ({ kind: key, namespace }) => {
        const kind = namedKinds.find((one) => kindKey(one) === key);
        if (kind === undefined || !(await this.mayList(user, kind, namespace, time))) return false;
        const scope = more.get(key);
        if (scope !== "all") more.set(key, new Set([...(scope ?? []), namespace!]));
        return true;
      }),
    );
    return found.includes(true) ? more : undefined;
  }

  private async mayList(
    user: ReviewedUser,
    { group, plural: resource }: WatchedKind,
    namespace: string | undefined,
    time: number,
  ): Promise<boolean> {
    const where = namespace === undefined ? {} : { namespace };
    const attributes = { resourceAttributes: { group, resource, verb: "list", ...where } };
    try {
      return await subjectAccess(this.connection, user, attributes, AbortSignal.timeout(time));
    } catch (cause) {
      this.trouble.report(messageOf(cause));
      return false;
    }
  }
}

const stepTime = (deadline: number): number =>
  Math.ceil(Math.min(longestStep, Math.max(0, deadline - Date.now()) / 4));
