import type { Verdict } from "@tierwall/core";
import { shortPorts } from "../frame/short-ports.js";
import { defaultTier, tierWords } from "../frame/tiers.js";
import { verdictWords } from "../frame/verdict.js";
import type { DeciderView, ReasonPart } from "../worker/questions/reason-view.js";
import "./reason-list.css";

/** What is shown of a reason. */
export interface ShownReason {
  readonly source: string;
  readonly destination: string;
  readonly egress: readonly ShownPart[];
  readonly ingress: readonly ShownPart[];
}

interface ShownPart extends Omit<ReasonPart, "by"> {
  readonly by: readonly ShownDecider[];
}

type ShownDecider = Pick<DeciderView, "tier" | "text">;

interface ReasonListProps {
  readonly reasons: readonly ShownReason[];
  /** Every part, with all of its ports, where Explain is not there to show the rest. */
  readonly isWhole?: boolean;
}

/** The rules that decide between two parties: in both directions, for each kind of pair that has reasons of its own. */
export function ReasonList({ reasons, isWhole = false }: ReasonListProps) {
  return (
    <div className="reasons">
      {reasons.map(({ source, destination, egress, ingress }) => (
        <section key={`${source} ${destination}`} aria-label={`${source} to ${destination}`}>
          {reasons.length > 1 && (
            <h3>
              {source} → {destination}
            </h3>
          )}
          <Direction title={`leaving ${source}`} parts={egress} isWhole={isWhole} />
          <Direction title={`entering ${destination}`} parts={ingress} isWhole={isWhole} />
        </section>
      ))}
    </div>
  );
}

/** More than these are for Explain. */
const mostParts = 6;

interface DirectionProps {
  readonly title: string;
  readonly parts: readonly ShownPart[];
  readonly isWhole: boolean;
}

function Direction({ title, parts, isWhole }: DirectionProps) {
  const shown = isWhole ? parts : parts.slice(0, mostParts);
  const rest = parts.length - shown.length;
  return (
    <>
      <p className="reason-direction">{title}</p>
      <ul aria-label={title}>
        {shown.map((part) => (
          <li key={`${part.ports} ${part.verdict}`} className={toneOf(part.verdict)}>
            <span className="reason-ports">
              <Sign verdict={part.verdict} /> {isWhole ? part.ports : shortPorts(part.ports)}
            </span>
            {part.by.map((by) => (
              <Decider key={by.text} by={by} />
            ))}
          </li>
        ))}
        {rest > 0 && <li className="reason-rest">…and {rest} more</li>}
      </ul>
    </>
  );
}

function Sign({ verdict }: { readonly verdict: Verdict }) {
  const { mark, word } = verdictWords[verdict];
  return (
    <>
      <span aria-hidden="true">{mark}</span>
      <span className="unseen">{word}</span>
    </>
  );
}

function Decider({ by: { tier, text } }: { readonly by: ShownDecider }) {
  return (
    <span className="reason-decider">
      <span className="reason-tier">{(tier === undefined ? defaultTier : tierWords[tier]).title}</span>{" "}
      {text === "default" ? "no rule matches" : text}
    </span>
  );
}

const toneOf = (verdict: Verdict): string => verdictWords[verdict].tone;
