import type { CSSProperties } from "react";
import { counted } from "../frame/counted.js";
import { tierWords } from "../frame/tiers.js";
import type { RuleStep, StepView } from "../worker/questions/explain.js";
import { isSameSelection, type Selection, selectionOfIsolation, selectionOfRule } from "./selection.js";
import { Stop } from "./stop.js";
import type { Water } from "./water.js";

/** The rule whose YAML is shown, and how to select another one. */
export interface Selecting {
  readonly selected: Selection | undefined;
  readonly onSelect: (selection: Selection) => void;
}

/** One tier: its outcome, the rule that decides, and why the rules before it do not match. */
export function Step({
  step,
  index,
  water,
  ...selecting
}: { readonly step: StepView; readonly index: number; readonly water: Water } & Selecting) {
  const { tier, rules } = step;
  const outcome = water === "dry" ? "not-reached" : step.outcome;
  const decisive = rules.findIndex(({ result }) => result === "matches");
  const before = decisive === -1 ? rules : rules.slice(0, decisive);
  const missed = outcome === "not-reached" ? [] : before.filter(({ result }) => result === "no-match");
  return (
    <li className={`step ${water} ${outcome}`} style={{ "--step": index } as CSSProperties}>
      {(outcome === "allow" || outcome === "deny") && (
        <Stop verdict={outcome === "allow" ? "Allow" : "Deny"} />
      )}
      {outcome === "undecided" && <Stop verdict="Undecided" />}
      <h4>{tierWords[tier].title}</h4>
      <Outcome step={{ ...step, outcome }} {...selecting} />
      {missed.length > 0 && (
        <details className="missed">
          <summary>{counted(missed.length, "rule does not match", "rules do not match")}</summary>
          <ul>
            {missed.map(({ rule, why }) => (
              <li key={`${rule.policy.key} ${rule.path}`}>
                <RuleButton rule={rule} {...selecting} /> {why ?? "does not match"}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

const verbs = {
  Allow: "allows it",
  Deny: "denies it",
  Pass: "passes it to the next tier",
  Undecided: "may allow or deny it",
} as const;
const mayVerbs = {
  Allow: "may allow it",
  Deny: "may deny it",
  Pass: "may pass it",
  Undecided: "may allow or deny it",
} as const;
const lateVerbs = {
  Allow: "allowed",
  Deny: "denied",
  Pass: "passed",
  Undecided: "allowed or denied",
} as const;

function Outcome({ step, ...selecting }: { readonly step: StepView } & Selecting) {
  const { outcome, rules, isolators } = step;
  const decisive = rules.find(({ result }) => result === "matches");
  switch (outcome) {
    case "allow":
    case "pass":
      return <Decided decisive={decisive} {...selecting} />;
    case "deny":
      if (decisive !== undefined) return <Decided decisive={decisive} {...selecting} />;
      return (
        <p className="step-outcome">
          No rule allows it, and the pod is isolated by{" "}
          {isolators.map((isolator, i) => (
            <span key={isolator.kind === "policy" ? isolator.policy.key : isolator.option}>
              {i > 0 && ", "}
              {isolator.kind === "policy" ? (
                <SelectButton selection={selectionOfIsolation(isolator.policy)} {...selecting} />
              ) : (
                <code>{isolator.option}</code>
              )}
            </span>
          ))}
        </p>
      );
    case "next":
      return <p className="step-outcome quiet">No rule matches.</p>;
    case "undecided":
      return <Undecided step={step} {...selecting} />;
    case "not-reached":
      return <NotReached step={step} {...selecting} />;
  }
}

function Decided({ decisive, ...selecting }: { readonly decisive: RuleStep | undefined } & Selecting) {
  if (decisive === undefined) return null;
  const { rule, why } = decisive;
  return (
    <p className="step-outcome">
      <RuleButton rule={rule} {...selecting} /> {verbs[rule.action]}
      {why !== undefined && <span className="why">{why}</span>}
    </p>
  );
}

function Undecided({ step: { rules }, ...selecting }: { readonly step: StepView } & Selecting) {
  const open = rules.filter(({ result }) => result === "may-match" || result === "matches");
  return (
    <div className="step-outcome">
      It depends on missing information:
      <ul>
        {open.map(({ rule, result }) => (
          <li key={`${rule.policy.key} ${rule.path}`}>
            <RuleButton rule={rule} {...selecting} /> {(result === "matches" ? verbs : mayVerbs)[rule.action]}
          </li>
        ))}
      </ul>
    </div>
  );
}

function NotReached({ step: { rules }, ...selecting }: { readonly step: StepView } & Selecting) {
  const late = rules.find(({ result }) => result === "would-match" || result === "may-match");
  if (late === undefined) return <p className="step-outcome">Not reached.</p>;
  const { rule, result } = late;
  return (
    <p className="step-outcome">
      Not reached; <RuleButton rule={rule} {...selecting} /> {result === "may-match" ? "might" : "would"} have{" "}
      {lateVerbs[rule.action]} it.
    </p>
  );
}

function RuleButton({ rule, ...selecting }: { readonly rule: RuleStep["rule"] } & Selecting) {
  return <SelectButton selection={selectionOfRule(rule)} {...selecting} />;
}

/** Every name selects its rule. */
export function SelectButton({
  selection,
  selected,
  onSelect,
}: { readonly selection: Selection } & Selecting) {
  return (
    <button
      type="button"
      className="name"
      aria-pressed={isSameSelection(selection, selected)}
      onClick={() => onSelect(selection)}
    >
      {selection.title}
    </button>
  );
}
