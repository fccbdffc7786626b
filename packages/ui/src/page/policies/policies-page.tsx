import "./policies.css";
import { useMemo, useState } from "react";
import { Caveats } from "../frame/caveats.js";
import { counted } from "../frame/counted.js";
import { Loading, Notice } from "../frame/notice.js";
import { go, useAddress } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import { FindingsByPlace } from "./findings-by-place.js";
import { PolicyPanel } from "./policy-panel.js";
import { isolationName, type Row, rowsOf } from "./rows.js";
import { Stack } from "./stack.js";
import { StackBar } from "./stack-bar.js";
import { choiceOf, isWanted, wordsOf } from "./wanted.js";

/** So few rules are all shown from the start. */
const fewRules = 80;

/** Every policy in evaluation order: tiers as shelves, and what each rule decides here. */
export function PoliciesPage() {
  const { query } = useAddress();
  const { filter = "", policy = "", rule = "" } = query;
  const choice = choiceOf(query["show"]);
  const asked = useAnswer("policies", {});
  const answer = shown(asked);
  const stack = answer?.stack;
  // Names come first, and nothing else is asked that would delay them.
  const isListed = stack !== undefined;
  const uses = shown(useAnswer("rule-use", isListed ? {} : undefined, "patient"));
  const askedFindings = useAnswer("findings", isListed ? {} : undefined, "patient");
  const found = shown(askedFindings);
  const findings = useMemo(() => new FindingsByPlace(found ?? []), [found]);
  // A policy that a link leads to is open.
  const [first] = useState(policy);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const change = (part: Record<string, string>) => go("policies", { ...query, ...part }, "replace");

  const rules =
    stack?.reduce((sum, shelf) => sum + shelf.policies.reduce((n, p) => n + p.rules.length, 0), 0) ?? 0;
  const rows = useMemo(() => {
    const words = wordsOf(filter);
    const isOpenAtFirst = (id: string) =>
      id.startsWith("tier ") || rules <= fewRules || (first !== "" && id.endsWith(` ${first}`));
    return rowsOf(stack ?? [], {
      uses,
      findings,
      isOpen: (id) => isOpenAtFirst(id) !== turned.has(id),
      isWanted: (stacked) => isWanted(stacked, words, choice, findings, uses),
    });
  }, [stack, uses, findings, turned, filter, choice, first, rules]);

  if (asked.status === "failed")
    return (
      <Notice title="The policies could not be listed" role="alert">
        {asked.message}
      </Notice>
    );
  if (answer === undefined || stack === undefined) return <Loading>Listing the policies…</Loading>;
  if (stack.length === 0)
    return (
      <div className="policies">
        <Caveats caveats={answer.caveats} />
        <Notice title="No policies">
          No policy denies a connection: every connection is allowed. Drop a file with a policy on this page,
          or write one in the playground.
        </Notice>
      </div>
    );

  const turn = (id: string) =>
    setTurned(new Set(turned.has(id) ? [...turned].filter((other) => other !== id) : [...turned, id]));
  const choose = (row: Row) => {
    if (row.kind === "shelf" || (row.kind === "policy" && !row.isOpen)) turn(row.id);
    if (row.kind !== "shelf") change({ policy: row.stacked.policy.key, rule: ruleOf(row) });
  };
  const chosen = rows.find((row) => isChosen(row, policy, rule));
  const policies = rows.reduce((sum, row) => sum + (row.kind === "shelf" ? row.policies : 0), 0);
  return (
    <div className="policies">
      <h1 className="unseen">Policies in evaluation order</h1>
      <StackBar
        filter={filter}
        choice={choice}
        count={counted(policies, "policy", "policies")}
        busy={
          uses === undefined
            ? "counting what rules decide…"
            : found === undefined && askedFindings.status === "asking"
              ? "looking for findings…"
              : ""
        }
        onChange={change}
      />
      <Caveats caveats={answer.caveats} />
      <div className="stack-and-panel">
        {rows.length === 0 ? (
          <Notice title="No policy matches">
            {choice === "idle" && uses === undefined
              ? "What rules decide is still being counted."
              : "Change or clear the filter."}
          </Notice>
        ) : (
          <Stack
            rows={rows}
            chosen={chosen?.id}
            uses={uses}
            edition={found?.length ?? -1}
            onChoose={choose}
            onTurn={turn}
          />
        )}
        <PolicyPanel stack={stack} policy={policy} rule={rule} uses={uses} findings={findings} />
      </div>
    </div>
  );
}

/** How the address bar calls the rule of a row; empty is the policy as a whole. */
function ruleOf(row: Row): string {
  if (row.kind === "finding") return row.finding.rule ?? "";
  if (row.kind !== "rule") return "";
  return row.rule.path === "isolation" ? isolationName(row.rule.direction) : row.rule.path;
}

function isChosen(row: Row, policy: string, rule: string): boolean {
  if (row.kind !== "policy" && row.kind !== "rule") return false;
  return row.stacked.policy.key === policy && ruleOf(row) === rule && (row.kind === "rule") === (rule !== "");
}
