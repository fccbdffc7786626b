import { isChanged, type StateChanges } from "../analysis/changes/changes.js";
import { implementationCaveatsOfAll } from "../analysis/enforcers/implementation-caveats.js";
import type { OverallVerdict } from "../analysis/explain/ask.js";
import type { Explanation } from "../analysis/explain/explain.js";
import type { Finding } from "../analysis/lint/finding.js";
import type { LintReport } from "../analysis/lint/lint.js";
import type { Lookup } from "../analysis/lookup/lookup.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { affectsAnswers } from "../diagnostics/answer-codes.js";
import type { Source } from "../manifest/source.js";
import { belowCaveats, caveatsJson, caveatsMarkdown } from "../report/caveats.js";
import { changesJson } from "../report/changes/changes-json.js";
import { changesMarkdown } from "../report/changes/changes-markdown.js";
import { changesText } from "../report/changes/changes-text.js";
import { explanationJson, type JsonValue } from "../report/explanation/explanation-json.js";
import { explanationText } from "../report/explanation/explanation-text.js";
import { lintJson } from "../report/lint/lint-json.js";
import { lintSarif } from "../report/lint/lint-sarif.js";
import { lintText } from "../report/lint/lint-text.js";
import { lookupJson } from "../report/lookup/lookup-json.js";
import { lookupText } from "../report/lookup/lookup-text.js";
import { noStyle, type Style } from "../report/style.js";
import { diagnosticsJson } from "../report/test-results.js";
import { type Caveat, caveatsOfAll, mergedCaveats } from "../state/caveat.js";
import type { State } from "../state/state.js";

/** What answers need to know about their cluster. */
export interface Answered {
  readonly state: State;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly Source[];
}

/** How the text of an answer looks. */
export interface RenderOptions {
  /** Colours and weight; by default plain text. */
  readonly style?: Style;
  /** Everything, instead of what fits on a screen. */
  readonly verbose?: boolean;
}

/** An object that `JSON.stringify` writes. */
export interface JsonReport {
  readonly [key: string]: JsonValue | undefined;
}

const shown = ({ style = noStyle, verbose = false }: RenderOptions) => ({ style, verbose });

/** The remarks about the input that belong to every answer: what it does not cover, or assumes. */
export const remarksJson = (diagnostics: readonly Diagnostic[]): JsonValue =>
  diagnosticsJson(diagnostics.filter(affectsAnswers));

/** Why a connection is allowed or denied. */
export class ExplainAnswer {
  constructor(
    private readonly about: Answered,
    /** The answer as data: the tiers and rules on the way, in both directions. */
    readonly explanation: Explanation,
  ) {}

  /** `Mixed` where the connections that the question means differ. */
  get verdict(): OverallVerdict {
    return this.explanation.verdict;
  }

  /** Caveats of the verdict, such as policies that are not evaluated. */
  get caveats(): readonly Caveat[] {
    return this.explanation.caveats;
  }

  /** What `tierwall explain` prints. */
  text(options: RenderOptions = {}): string {
    return explanationText(this.explanation, shown(options));
  }

  /** What `tierwall explain -o json` prints. */
  json(): JsonReport {
    const explanation = explanationJson(this.explanation) as JsonReport;
    return { ...explanation, remarks: remarksJson(this.about.diagnostics) };
  }
}

/** The rules that can affect an endpoint. */
export class LookupAnswer {
  constructor(
    private readonly about: Answered,
    /** The answer as data. */
    readonly lookup: Lookup,
  ) {}

  /** Caveats of the answer. */
  get caveats(): readonly Caveat[] {
    return caveatsOfAll(this.about.state);
  }

  /** What `tierwall lookup` prints. */
  text(options: RenderOptions = {}): string {
    const how = shown(options);
    return belowCaveats(lookupText(this.lookup, how), this.caveats, how);
  }

  /** What `tierwall lookup -o json` prints. */
  json(): JsonReport {
    const lookup = lookupJson(this.lookup) as JsonReport;
    return { ...lookup, caveats: caveatsJson(this.caveats), remarks: remarksJson(this.about.diagnostics) };
  }
}

/** Problems of policies: errors, and what is valid but probably not intended. */
export class LintAnswer {
  constructor(
    private readonly about: Answered,
    /** The answer as data, with the findings that are excepted. */
    readonly report: LintReport,
  ) {}

  /** In reading order. */
  get findings(): readonly Finding[] {
    return this.report.findings;
  }

  /** Caveats of the findings. */
  get caveats(): readonly Caveat[] {
    return caveatsOfAll(this.about.state);
  }

  /** The findings that `tierwall lint` prints, with the lines they are about. */
  text(options: RenderOptions = {}): string {
    const texts = new Map(
      this.about.sources.map((source) => [source.file, "text" in source ? source.text : undefined]),
    );
    return lintText(this.report, { ...shown(options), sourceText: (file) => texts.get(file) });
  }

  /** What `tierwall lint -o json` prints. */
  json(): JsonReport {
    return { ...(lintJson(this.report) as JsonReport), caveats: caveatsJson(this.caveats) };
  }

  /** SARIF 2.1.0, for code scanning; `version` is that of the program that reports. */
  sarif(version: string): JsonReport {
    return lintSarif(this.report, version) as JsonReport;
  }
}

/** What two states of a cluster allow differently. */
export class DiffAnswer {
  constructor(
    private readonly before: Answered,
    private readonly after: Answered,
    /** The answer as data. */
    readonly changes: StateChanges,
  ) {}

  /** Whether anything is different at all. */
  get changed(): boolean {
    return isChanged(this.changes);
  }

  /** Caveats of both states. */
  get caveats(): readonly Caveat[] {
    const { before, after } = this;
    return mergedCaveats(
      caveatsOfAll(after.state),
      caveatsOfAll(before.state),
      implementationCaveatsOfAll(after.state),
    );
  }

  /** What `tierwall diff` prints. */
  text(options: RenderOptions = {}): string {
    const how = shown(options);
    return belowCaveats(changesText(this.changes, how), this.caveats, how);
  }

  /** What `tierwall diff -o json` prints; its remarks are about the later state. */
  json(): JsonReport {
    return {
      ...changesJson(this.changes),
      caveats: caveatsJson(this.caveats),
      remarks: remarksJson(this.after.diagnostics),
    };
  }

  /** For pull requests. */
  markdown(): string {
    return [...caveatsMarkdown(this.caveats), changesMarkdown(this.changes)].join("\n");
  }
}
