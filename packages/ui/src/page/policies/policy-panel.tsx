import { Prose } from "../frame/prose.js";
import { hrefOf } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import { YamlText } from "../frame/yaml/yaml-view.js";
import type { FindingView } from "../worker/questions/findings.js";
import type { StackedPolicy, StackView } from "../worker/questions/policies.js";
import type { RuleUseAnswer } from "../worker/questions/rule-use.js";
import { useKey } from "../worker/questions/use-key.js";
import type { FindingsByPlace } from "./findings-by-place.js";
import { isolationName } from "./rows.js";
import { SeverityMark } from "./severity-mark.js";
import { nothing, sumOf, useSentence } from "./use-words.js";

export interface PolicyPanelProps {
  readonly stack: StackView;
  /** The key of the policy that was chosen, and its rule as the address bar calls it. */
  readonly policy: string;
  readonly rule: string;
  readonly uses: RuleUseAnswer | undefined;
  readonly findings: FindingsByPlace;
}

/** The selected policy or rule: its YAML, what it decides, and its findings. */
export function PolicyPanel({ stack, policy, rule, uses, findings }: PolicyPanelProps) {
  const chosen = stack.flatMap(({ policies }) => policies).find((stacked) => stacked.policy.key === policy);
  const isIsolation = rule.startsWith("isolation");
  const path = isIsolation ? "isolation" : rule;
  const yaml = shown(
    useAnswer("yaml", chosen === undefined ? undefined : { policy, ...(rule === "" ? {} : { path }) }),
  );
  if (chosen === undefined)
    return (
      <aside className="policy-panel" aria-label="Details">
        <Overview findings={findings} />
      </aside>
    );
  const { title } = chosen.policy;
  const about = findings.of(policy).filter((finding) => rule === "" || finding.rule === path);
  return (
    <aside className="policy-panel" aria-label={`About ${title}`}>
      <header>
        <h2>{title}</h2>
        <p className="panel-links">
          {yaml?.place !== undefined && (
            <code>
              {yaml.place.file}:{yaml.place.line}
            </code>
          )}
          <a href={hrefOf("playground", { policy })}>edit in the playground</a>
        </p>
        {uses !== undefined && (
          <p>{useSentence(sumOf(keysOf(chosen, rule).map((key) => uses[key] ?? nothing)))}</p>
        )}
      </header>
      {about.length > 0 && <Findings findings={about} />}
      {yaml !== undefined && <YamlText yaml={yaml} label={`Text of ${title}`} />}
    </aside>
  );
}

/** The parts of a policy, or of one rule of it, that decide. */
function keysOf({ policy, rules, isolates }: StackedPolicy, rule: string): readonly string[] {
  const ofRules = rules
    .filter(({ path }) => rule === "" || path === rule)
    .map(({ direction, path }) => useKey(policy.key, direction, path));
  const ofIsolation = isolates
    .filter((direction) => rule === "" || rule === isolationName(direction))
    .map((direction) => useKey(policy.key, direction, "isolation"));
  return [...ofRules, ...ofIsolation];
}

function Findings({ findings }: { readonly findings: readonly FindingView[] }) {
  return (
    <ul className="findings">
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.message}`}>
          <SeverityMark severity={finding.severity} /> <span className="code">{finding.code}</span>{" "}
          <Prose text={finding.message} />
          {finding.witness !== undefined && <p>For example {finding.witness}</p>}
          {finding.hint !== undefined && (
            <p>
              <Prose text={finding.hint} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Before anything is selected: how to read the stack, and findings about no policy in particular. */
function Overview({ findings: { elsewhere } }: { readonly findings: FindingsByPlace }) {
  return (
    <>
      <header>
        <h2>How to read this</h2>
        <p>
          Connections are evaluated against these policies from top to bottom. In each tier the first rule
          that matches decides: it allows, denies, or passes to the next tier. What no tier decides is
          allowed.
        </p>
        <p>
          On the right of each rule is how many pairs of endpoints it decides in this cluster. Select a rule
          to see its YAML.
        </p>
      </header>
      {elsewhere.length > 0 && <Findings findings={elsewhere} />}
    </>
  );
}
