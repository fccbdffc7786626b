import { getOrInsert } from "../../collections/maps.js";
import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { given } from "../../diagnostics/given.js";
import { didYouMean } from "../../diagnostics/suggest.js";
import { readObjects } from "../../manifest/read.js";
import type { Source } from "../../manifest/source.js";
import type { PolicyRef } from "../../policy/model.js";
import { calledIn, identityOf, kindOf } from "../object-kind.js";
import type { Removal } from "./removal.js";
import { type State, type StateOptions, StateReader } from "../state.js";

/** A planned change of a cluster. */
export interface Edit {
  /** Objects that are added, or replace those with the same kind and name. */
  readonly apply: readonly Source[];
  readonly remove: readonly Removal[];
}

/** A state as it is, and as it would be. */
export interface EditedState {
  readonly before: State;
  readonly after: State;
  readonly edits: readonly ObjectEdit[];
  /** What cannot be deleted. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface ObjectEdit {
  readonly what: "added" | "replaced" | "deleted";
  /** `NetworkPolicy shop/allow-web`. */
  readonly object: string;
  /** Where it is a policy: as it will be, or was. */
  readonly policy?: PolicyRef;
}

/** Reads everything once, for both states: large input and standard input can be read only once. */
export function readEdited(sources: readonly Source[], edit: Edit, options: StateOptions = {}): EditedState {
  const before = new StateReader(options);
  const after = new StateReader({ ...options, progress: () => undefined });
  const applied = new Map<string, { policy: PolicyRef | undefined; replaces: boolean }>();
  for (const source of edit.apply)
    readObjects(source, {
      report: after.report,
      object: (object) => {
        const identity = identityOf(object, kindOf(object));
        const policy = after.object(object);
        if (identity !== undefined && !applied.has(identity))
          applied.set(identity, { policy, replaces: false });
      },
    });
  const removals = new Removals(edit.remove);
  for (const source of sources)
    readObjects(source, {
      report: (found) => {
        before.report(found);
        after.report(found);
      },
      object: (object) => {
        const policy = before.object(object);
        const identity = identityOf(object, kindOf(object));
        const successor = identity === undefined ? undefined : applied.get(identity);
        if (successor !== undefined) successor.replaces = true;
        else if (identity === undefined || !removals.take(identity, policy)) after.object(object);
      },
    });
  const files = sources.map(({ file }) => file);
  return {
    before: before.state(files),
    after: after.state([...edit.apply.map(({ file }) => file), ...files]),
    edits: [
      ...Array.from(applied, ([identity, { policy, replaces }]) =>
        objectEdit(replaces ? "replaced" : "added", identity, policy),
      ),
      ...removals.deleted().map(({ identity, policy }) => objectEdit("deleted", identity, policy)),
    ],
    diagnostics: removals.complaints(),
  };
}

function objectEdit(what: ObjectEdit["what"], identity: string, policy: PolicyRef | undefined): ObjectEdit {
  return { what, object: calledIn(identity), ...given({ policy }) };
}

interface Taken {
  readonly removal: Removal;
  readonly identity: string;
  readonly policy: PolicyRef | undefined;
}

/** Finds the objects to delete, and reports names that are missing or ambiguous. */
class Removals {
  private readonly taken: Taken[] = [];
  private readonly seen = new Map<string, string[]>();

  constructor(private readonly removals: readonly Removal[]) {}

  /** Whether an object, `group kind namespace/name`, is to be deleted. */
  take(identity: string, policy: PolicyRef | undefined): boolean {
    const [group, kind, called] = identity.split(" ") as [string, string, string];
    const [name, namespace] = called.split("/").toReversed();
    let isTaken = false;
    for (const removal of this.removals) {
      if (removal.kind !== kind || (removal.group !== undefined && removal.group !== group)) continue;
      this.note(kind, called);
      const isMeant =
        (removal.name === undefined || removal.name === name) &&
        (removal.namespace === undefined || removal.namespace === namespace);
      if (!isMeant) continue;
      this.taken.push({ removal, identity, policy });
      isTaken = true;
    }
    return isTaken;
  }

  private note(kind: string, called: string): void {
    getOrInsert(this.seen, kind, () => []).push(called);
  }

  /** Each once, however often it was named. */
  deleted(): readonly Taken[] {
    return [...new Map(this.taken.map((one) => [one.identity, one])).values()];
  }

  complaints(): readonly Diagnostic[] {
    return this.removals.flatMap((removal) => {
      const found = this.taken.filter((one) => one.removal === removal).map(({ identity }) => identity);
      const complaint = this.missing(removal, found) ?? ambiguous(removal, found);
      return complaint === undefined ? [] : diagnostic("TW1507", complaint);
    });
  }

  private missing({ text, kind, namespace, name }: Removal, found: readonly string[]): string | undefined {
    if (found.length > 0) return undefined;
    const known = this.seen.get(kind) ?? [];
    if (name === undefined || known.length === 0)
      return `\`${text}\` cannot be deleted: there is no ${kind} in the input`;
    const called = namespace === undefined ? name : `${namespace}/${name}`;
    const names = namespace === undefined ? known.map((one) => one.split("/").at(-1)!) : known;
    return `\`${text}\` cannot be deleted: there is no ${kind} \`${called}\`${didYouMean(called, names)}`;
  }
}

/** A name that several namespaces have, or a kind that two APIs have. */
function ambiguous({ text, kind, name }: Removal, found: readonly string[]): string | undefined {
  const groups = [...new Set(found.map((identity) => identity.split(" ")[0]!))];
  if (groups.length > 1) {
    const choices = groups.map((group) => `\`${kind}.${group}${name === undefined ? "" : `/${name}`}\``);
    return `\`${text}\` could be ${choices.join(" or ")}; specify which one`;
  }
  if (name === undefined || found.length < 2) return undefined;
  const choices = found.map((identity) => `\`${kind}/${identity.split(" ")[2]}\``);
  return `\`${text}\` could be ${choices.join(" or ")}; specify which one`;
}
