import type { Source, TextSource } from "../../manifest/source.js";
import { readState, type State, type StateOptions } from "../../state/state.js";
import { EditedText } from "./edit-text.js";
import type { TextEdit, Finding, Fix } from "./finding.js";
import { lint, type LintReport } from "./lint.js";

export interface Fixed {
  readonly fixed: readonly FixedFinding[];
  /** Texts that are no longer what they were. */
  readonly changed: readonly TextSource[];
  /** What is left, and the state it is about. */
  readonly report: LintReport;
  readonly state: State;
}

export type FixedFinding = Finding & { readonly fix: Fix };

/** One fix may reveal another problem; this many rounds are always enough. */
const mostRounds = 10;

/**
 * Applies fixes to what a state was read from, until none is left. Every round is read again, and one that would make more errors than there were is
 * not made. Only texts are changed that `mayChange` says may be.
 */
export function fixSources(
  sources: readonly Source[],
  state: State,
  options: StateOptions,
  mayChange: (file: string) => boolean,
  budget?: number,
): Fixed {
  const originals = new Map(sources.map((source) => [source.file, source]));
  const fixed: FixedFinding[] = [];
  let current = {
    sources,
    state,
    report: lint(state, { sources, ...(budget === undefined ? {} : { budget }) }),
  };
  for (let round = 0; round < mostRounds; round++) {
    const applied = applyFixes(current.sources, current.report.findings, mayChange);
    if (applied.fixed.length === 0) break;
    const next = readAgain(applied.sources, options, budget);
    if (errorsIn(next.state) > errorsIn(current.state)) break;
    fixed.push(...applied.fixed);
    current = next;
  }
  const changed = current.sources.filter(
    (source): source is TextSource => "text" in source && source !== originals.get(source.file),
  );
  return { fixed, changed, report: current.report, state: current.state };
}

const errorsIn = ({ diagnostics }: State): number =>
  diagnostics.filter(({ severity }) => severity === "error").length;

function readAgain(sources: readonly Source[], options: StateOptions, budget: number | undefined) {
  const state = readState(sources, options);
  return { sources, state, report: lint(state, { sources, ...(budget === undefined ? {} : { budget }) }) };
}

/** One round: every fix that touches nothing which another one has changed, wholly or not at all. */
function applyFixes(
  sources: readonly Source[],
  findings: readonly Finding[],
  mayChange: (file: string) => boolean,
): { readonly sources: readonly Source[]; readonly fixed: readonly FixedFinding[] } {
  const texts = new Map<string, EditedText>();
  for (const source of sources)
    if ("text" in source && mayChange(source.file)) texts.set(source.file, new EditedText(source.text));
  const fixed = findings.filter((found): found is FixedFinding => {
    const edits = found.fix?.edits ?? [];
    const applies = edits.length > 0 && edits.every((edit) => texts.get(fileOf(edit))?.isFree(edit) ?? false);
    if (applies) for (const edit of edits) texts.get(fileOf(edit))!.add(edit);
    return applies;
  });
  const touched = new Set(fixed.flatMap(({ fix }) => fix.edits.map(fileOf)));
  return {
    sources: sources.map((source) =>
      touched.has(source.file) ? { file: source.file, text: texts.get(source.file)!.toString() } : source,
    ),
    fixed,
  };
}

export const fileOf = (edit: TextEdit): string => (edit.kind === "replace" ? edit.place.file : edit.file);
