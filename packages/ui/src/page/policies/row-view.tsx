import { counted } from "../frame/counted.js";
import { tierWords } from "../frame/tiers.js";
import type { StackedRule } from "../worker/questions/policies.js";
import type { UseView } from "../worker/questions/rule-use.js";
import { marksOf, unmarked } from "./finding-marks.js";
import { SeverityMark } from "./severity-mark.js";
import type { PolicyRow, Row, RuleRow } from "./rows.js";
import { decidesNothing, useWords } from "./use-words.js";

export function StackRow({ row }: { readonly row: Row }) {
  switch (row.kind) {
    case "shelf":
      return (
        <>
          <Caret isOpen={row.isOpen} />
          <strong>{tierWords[row.tier].title}</strong>
          <span className="row-rest">{tierWords[row.tier].who}</span>
          <span className="row-end">
            {counted(row.policies, "policy", "policies")} · {counted(row.rules, "rule")}
          </span>
        </>
      );
    case "policy":
      return <PolicyLine row={row} />;
    case "rule":
      return <RuleLine row={row} />;
    case "finding":
      return (
        <>
          <SeverityMark severity={row.finding.severity} />
          <span className="code">{row.finding.code}</span>
          <span className="row-rest">{row.finding.message.replaceAll("`", "")}</span>
        </>
      );
  }
}

function PolicyLine({ row: { stacked, use, findings, isOpen } }: { readonly row: PolicyRow }) {
  const { policy, subject } = stacked;
  const others = unmarked(findings);
  return (
    <>
      <Caret isOpen={isOpen} />
      <span className="priority" title="Priority">
        {policy.priority ?? ""}
      </span>
      <span className="row-name">
        <span className="kind">{policy.kind}</span>{" "}
        <strong>
          {policy.namespace !== undefined && `${policy.namespace}/`}
          {policy.name}
        </strong>
      </span>
      <span className="row-rest">{subject}</span>
      <Marks marks={[...marksOf(findings), ...(others > 0 ? [`⚠ ${others}`] : [])]} />
      <UseWords use={use} />
    </>
  );
}

const actions = {
  Allow: { mark: "✓", tone: "allowed" },
  Deny: { mark: "✗", tone: "denied" },
  Pass: { mark: "↓", tone: "" },
  Undecided: { mark: "?", tone: "undecided" },
} as const satisfies Record<StackedRule["action"], unknown>;

function RuleLine({ row: { rule, use, findings } }: { readonly row: RuleRow }) {
  const direction = rule.direction === "ingress" ? "in" : "out";
  const action = "action" in rule ? rule.action : "Deny";
  const { mark, tone } = actions[action];
  return (
    <>
      <span className="direction">{direction}</span>
      <span className={`action ${tone}`}>
        <span aria-hidden="true">{mark}</span> {action}
      </span>
      {"action" in rule ? (
        <span className="row-rest">
          {rule.number}. {rule.name !== undefined && <strong>{rule.name}</strong>} {rule.traffic}
        </span>
      ) : (
        <span className="row-rest">what no rule of this tier allows: its pods are isolated</span>
      )}
      <Marks marks={marksOf(findings)} />
      <UseWords use={use} />
    </>
  );
}

function Marks({ marks }: { readonly marks: readonly string[] }) {
  return marks.map((mark) => (
    <span key={mark} className="mark">
      {mark}
    </span>
  ));
}

function UseWords({ use }: { readonly use: UseView | undefined }) {
  if (use === undefined) return <span className="row-end" />;
  return (
    <span className={decidesNothing(use) ? "row-end idle" : "row-end"}>
      <span className="unseen">decides </span>
      {useWords(use)}
    </span>
  );
}

function Caret({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <span className="caret" aria-hidden="true">
      {isOpen ? "▾" : "▸"}
    </span>
  );
}
