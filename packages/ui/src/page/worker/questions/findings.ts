import type { Code, Finding, Severity } from "@tierwall/core";
import { lint } from "@tierwall/core/analysis";
import { formatPolicy } from "@tierwall/core/model";
import { witnessText } from "@tierwall/core/report";
import type { PolicyDefinition } from "@tierwall/core/state";
import type { HeldState } from "../held-state.js";
import { blockAt } from "./lines.js";
import { type PlaceView, placeView, policyKey } from "./policy-view.js";

/** A mistake in a policy, or something that is probably not intended, and which policy and rule it belongs to. */
export interface FindingView {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  /** The key of the policy it is about. */
  readonly policy?: string;
  /** The path of the rule it is about. */
  readonly rule?: string;
  readonly place?: PlaceView;
  /** A connection or pods that show it. */
  readonly witness?: string;
}

/** Milliseconds for what holds in every cluster: other questions wait in the meantime. */
const budget = 1500;

/** Takes a while in a large cluster: rules are compared for all pairs. */
export function answerFindings(held: HeldState, _request: Record<string, never>): readonly FindingView[] {
  const { findings } = lint(held.state, { sources: held.given.sources, engine: held.engine, budget });
  const policies = new PolicyPlaces(held);
  return findings.map((finding) => findingView(finding, policies));
}

function findingView(finding: Finding, policies: PolicyPlaces): FindingView {
  const { code, severity, message, hint, place } = finding;
  const witness = finding.witness && witnessText(finding.witness);
  return {
    code,
    severity,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(witness === undefined ? {} : { witness }),
    ...policies.of(finding),
    ...placeView(place),
  };
}

/** Which policy a finding is in, and which of its rules. */
class PolicyPlaces {
  private readonly byTitle = new Map<string, PolicyDefinition[]>();
  private readonly lines = new Map<string, readonly string[]>();

  constructor(private readonly held: HeldState) {
    for (const definition of held.state.definitions) {
      const title = formatPolicy(definition.policy);
      this.byTitle.set(title, [...(this.byTitle.get(title) ?? []), definition]);
    }
  }

  of({ object, place }: Finding): Pick<FindingView, "policy" | "rule"> {
    const named = this.byTitle.get(object ?? "") ?? this.inFile(place?.file);
    const found =
      object !== undefined && named.length === 1
        ? named[0]
        : named.findLast((definition) => place !== undefined && isBefore(startOf(definition), place));
    if (found === undefined) return {};
    const rule = place === undefined ? undefined : this.ruleAt(found, place);
    return { policy: policyKey(found.policy), ...(rule === undefined ? {} : { rule }) };
  }

  /** Findings that name no policy are few, and of whole files. */
  private inFile(file: string | undefined): readonly PolicyDefinition[] {
    return this.held.state.definitions.filter(({ object }) => object.document.file === file);
  }

  private ruleAt({ lowered }: PolicyDefinition, place: PlaceView): string | undefined {
    const lines = this.linesOf(place.file);
    const holds = ({ line }: PlaceView) => {
      const [first, last] = blockAt(lines, line);
      return first <= place.line && place.line <= last;
    };
    // All on one line, as programs write JSON: the line does not identify a rule.
    if (lines.length < 2) return undefined;
    return lowered.rules.find(({ rule }) => {
      const start = rule.origin.place();
      return start !== undefined && holds(start);
    })?.rule.origin.path;
  }

  private linesOf(file: string): readonly string[] {
    const known = this.lines.get(file) ?? (this.held.textOf(file) ?? "").split("\n");
    this.lines.set(file, known);
    return known;
  }
}

const startOf = ({ object }: PolicyDefinition): PlaceView => object.document.placeOf(object.path);

const isBefore = (a: PlaceView, b: PlaceView): boolean => a.file === b.file && a.line <= b.line;
