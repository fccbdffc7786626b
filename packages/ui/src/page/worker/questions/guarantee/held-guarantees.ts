import type { Diagnostic } from "@tierwall/core";
import { type ManifestObject, readObjects } from "@tierwall/core/manifest";
import type { Guarantee, Prover } from "@tierwall/core/prove";
import type { State } from "@tierwall/core/state";
import type { HeldState } from "../../held-state.js";

/** The prover is a script of its own, which is loaded when the first guarantee is read. */
export const loadProver = () => import("./prover.js");

/** The guarantees of a state, by the keys that the page knows them by. */
export interface HeldGuarantees {
  readonly byKey: ReadonlyMap<string, Guarantee>;
  /** What is wrong with guarantees that cannot be read. */
  readonly diagnostics: readonly Diagnostic[];
}

const mentionsGuarantee = (text: string): boolean => /\bkind["']?\s*:\s*["']?Guarantee\b/.test(text);

/** Read when they are first asked for, and kept with the state. */
export async function guaranteesOf(held: HeldState): Promise<HeldGuarantees> {
  const known = read.get(held) ?? readAll(held);
  read.set(held, known);
  return known;
}

const read = new WeakMap<HeldState, Promise<HeldGuarantees>>();

async function readAll({ given: { sources } }: HeldState): Promise<HeldGuarantees> {
  const texts = sources.filter(({ text }) => mentionsGuarantee(text));
  if (texts.length === 0) return { byKey: new Map(), diagnostics: [] };
  const { readGuarantees } = await loadProver();
  const found = texts.map(({ text, file }) => readGuarantees(text, file));
  const byKey = new Map<string, Guarantee>();
  for (const guarantee of found.flatMap(({ guarantees }) => guarantees)) {
    const { name } = guarantee;
    let number = 1;
    const key = () => (number === 1 ? name : `${name}#${number}`);
    while (byKey.has(key())) number++;
    byKey.set(key(), guarantee);
  }
  return { byKey, diagnostics: found.flatMap(({ diagnostics }) => diagnostics) };
}

/** The object that a guarantee was read from. */
export function objectOf({ given: { sources } }: HeldState, { file, place }: Guarantee) {
  const source = sources.find((each) => each.file === file);
  let found: ManifestObject | undefined;
  if (source !== undefined)
    readObjects(source, {
      report: () => undefined,
      object: (object) => {
        if (object.kind !== "Guarantee") return;
        const { line, column } = object.document.placeOfKey([...object.path, "metadata", "name"]);
        if (line === place.line && column === place.column) found = object;
      },
    });
  return found;
}

/** Each claim adds its labels to the prover's formula: after this many, a new prover is quicker. */
const mostClaims = 64;
const provers = new WeakMap<State, { readonly prover: Prover; claims: number }>();

/** One prover serves many claims about one state. */
export async function proverOf(state: State): Promise<Prover> {
  const known = provers.get(state);
  if (known !== undefined && known.claims < mostClaims) {
    known.claims++;
    return known.prover;
  }
  const { Prover } = await loadProver();
  const made = { prover: new Prover(state), claims: 1 };
  provers.set(state, made);
  return made.prover;
}
