import type { JsonObject } from "@tierwall/core/manifest";
import { visibleWithin } from "@tierwall/core/report";
import { guaranteeKind } from "../cluster/kinds.js";
import { listAt, textAt, valueAt } from "../cluster/object-fields.js";
import type { GuaranteeAnswer } from "../guarantees/guarantee-answer.js";
import { exampleMark, type Reported, type Statement } from "./condition.js";
import type { Wanted } from "./status-writer.js";

/** A Guarantee of the cluster. */
export interface KnownGuarantee extends Reported {
  readonly stored: NonNullable<Reported["stored"]>;
  /** What `keyOf` of @tierwall/core/state names it. */
  readonly key: string;
  /** It names files, which a cluster does not have. */
  readonly hasFiles: boolean;
}

/** The Guarantees of the cluster as the API server last gave them out, on every replica. */
export class KnownGuarantees {
  private readonly byKey = new Map<string, KnownGuarantee>();

  /** An object of any kind; undefined: it is gone. Returns whether guarantees are to be decided again. */
  saw(key: string, object: JsonObject | undefined): boolean {
    if (object === undefined) return this.byKey.delete(key);
    if (object.kind !== guaranteeKind.kind) return false;
    const known = this.byKey.get(key);
    const found = guaranteeOf(key, object);
    this.byKey.set(key, found);
    return known?.stored.uid !== found.stored.uid || known.stored.generation !== found.stored.generation;
  }

  get all(): readonly KnownGuarantee[] {
    return [...this.byKey.values()];
  }

  get(key: string): KnownGuarantee | undefined {
    return this.byKey.get(key);
  }
}

function guaranteeOf(key: string, object: JsonObject): KnownGuarantee {
  const generation = valueAt(object, "metadata", "generation");
  const { group, kind, versions } = guaranteeKind;
  return {
    key,
    group,
    version: versions[0]!,
    kind,
    name: textAt(object, "metadata", "name"),
    stored: {
      uid: textAt(object, "metadata", "uid"),
      generation: typeof generation === "number" ? generation : 0,
    },
    hasFiles: listAt(object, "spec", "given").length > 0,
  };
}

/** What the status of each Guarantee should be, as far as it is decided. */
export class GuaranteeConditions {
  private readonly byUid = new Map<string, Wanted & { readonly policy: KnownGuarantee }>();

  decided(guarantee: KnownGuarantee, answer: GuaranteeAnswer): void {
    const statement = statementOf(answer);
    const message = guarantee.hasFiles ? `${filesAreUnused}; ${statement.message}` : statement.message;
    this.byUid.set(guarantee.stored.uid, {
      policy: guarantee,
      conditions: [
        {
          ...statement,
          message: visibleWithin(message, longestMessage),
          observedGeneration: guarantee.stored.generation,
        },
      ],
      restsOn: answer.restsOn,
    });
  }

  /** Forgets those that are gone. */
  keep(all: readonly KnownGuarantee[]): void {
    const present = new Set(all.map(({ stored }) => stored.uid));
    for (const uid of this.byUid.keys()) if (!present.has(uid)) this.byUid.delete(uid);
  }

  has(uid: string): boolean {
    return this.byUid.has(uid);
  }

  get uids(): Iterable<string> {
    return this.byUid.keys();
  }

  wantedFor(uid: string): Wanted | undefined {
    return this.byUid.get(uid);
  }
}

const longestMessage = 4096;
const filesAreUnused = "`spec.given` is not used: the policies of the cluster are given";

function statementOf({ result, text, restsOn }: GuaranteeAnswer): Statement {
  const holds = (status: Statement["status"], message: string): Statement => ({
    type: "Holds",
    status,
    reason: result,
    message,
  });
  switch (result) {
    case "Proven":
      return holds(
        "True",
        `it holds in every cluster with these policies, and rests on ${restsOn.join(", ") || "no policy"}`,
      );
    case "Refuted":
      return holds("False", `it does not hold in every cluster with these policies${exampleMark}${text}`);
    case "NotDecided":
    case "Vacuous":
    case "Invalid":
      return holds("Unknown", text);
  }
}
