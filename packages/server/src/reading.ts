import { Cluster, type Diagnostic, type TextSource } from "@tierwall/core";
import { readState, type State } from "@tierwall/core/state";
import type { Shown } from "./feed.js";
import type { Problem } from "./problem.js";

/** The meaning of manifests. Each part is computed on the first request for it, and kept as long as the manifests are the same. */
export class Reading {
  private read: Cluster | undefined;

  constructor(private readonly shown: Shown) {}

  get cluster(): Cluster {
    const { sources, options, unread = [] } = this.shown;
    this.read ??= new Cluster({ state: withUnread(readState(sources, options), unread), sources });
    return this.read;
  }

  get state(): State {
    return this.cluster.state;
  }

  get sources(): readonly TextSource[] {
    return this.shown.sources;
  }

  /** Why no question about connections is answered: a policy that cannot be read may decide any of them. */
  get trouble(): Problem | undefined {
    const { unread = [] } = this.shown;
    return unread.length > 0 ? unreadTrouble(unread) : troubleIn(this.state);
  }
}

/** A file that cannot be read may contain any policy: without it, a state is as unusable as with an error. */
function withUnread(state: State, unread: readonly Diagnostic[]): State {
  return unread.length === 0
    ? state
    : { ...state, usable: false, diagnostics: [...unread, ...state.diagnostics] };
}

function unreadTrouble(diagnostics: readonly Diagnostic[]): Problem {
  const detail = "nothing was evaluated: some of the files cannot be read";
  return { status: 409, detail, diagnostics };
}

/** What is wrong with a state; if the request body has errors, only these. */
export function troubleIn({ usable, diagnostics }: State): Problem | undefined {
  if (usable) return undefined;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const inSent = errors.filter(({ place }) => place?.file === sentFile);
  const [reported, where] = inSent.length > 0 ? [inSent, "the request"] : [errors, "the manifests"];
  return {
    status: inSent.length > 0 ? 400 : 409,
    detail: `nothing was evaluated: fix ${reported.length === 1 ? "the error" : `the ${reported.length} errors`} in ${where} first`,
    diagnostics: reported,
  };
}

/** The name of the manifests of a request in messages. */
export const sentFile = "<request>";
