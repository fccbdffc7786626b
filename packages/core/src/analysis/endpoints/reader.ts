import type { Endpoint } from "../../evaluate/flow.js";

/** The objects of one kind that a user may read: all of them, or those of some namespaces. */
export type ReadableScope = "all" | ReadonlySet<string>;

/** By kind, as `kindKey` writes it; a kind that is absent cannot be read at all. */
export type Readable = "everything" | ReadonlyMap<string, ReadableScope>;

interface Named {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
}

/** Something that could not be shown. */
export interface Unread {
  /** As `kindKey` writes it. */
  readonly kind: string;
  /** Absent for kinds without namespaces. */
  readonly namespace?: string;
}

export const kindKey = ({ group, kind }: Pick<Named, "group" | "kind">): string => `${group} ${kind}`;

/** The limit of namespaces to ask about. */
const mostRemembered = 32;

/**
 * The reader of a warning, who may read only a part of the cluster: objects outside of that part are not named. Records what
 * was left out, so that it can be counted.
 */
export class Reader {
  private readonly missed = new Map<string, Unread>();

  constructor(private readonly readable: Readable = "everything") {}

  mayRead(object: Named): boolean {
    if (this.readable === "everything") return true;
    const kind = kindKey(object);
    const { namespace } = object;
    const scope = this.readable.get(kind);
    if (scope === "all" || (namespace !== undefined && scope?.has(namespace))) return true;
    if (this.missed.size < mostRemembered)
      this.missed.set(`${kind} ${namespace}`, { kind, ...(namespace === undefined ? {} : { namespace }) });
    return false;
  }

  /** External addresses are not objects. */
  maySee(end: Endpoint): boolean {
    if (this.readable === "everything") return true;
    switch (end.kind) {
      case "pod":
        return this.mayRead({ group: "", kind: "Pod", namespace: end.pod.namespace });
      case "node":
        return this.mayRead({ group: "", kind: "Node" });
      case "external":
        return true;
    }
  }

  /** What `mayRead` denied, up to a limit. */
  get unread(): readonly Unread[] {
    return [...this.missed.values()];
  }
}
