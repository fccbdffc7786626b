import type { CSSProperties } from "react";
import { defaultTier } from "../frame/tiers.js";
import { VerdictBadge } from "../frame/verdict.js";
import type { WalkView } from "../worker/questions/explain.js";
import { type Selecting, Step } from "./step.js";
import { Stop } from "./stop.js";
import { flowsOn, stopsAt } from "./water.js";

/**
 * One direction: the tiers from top to bottom, and the connection running down them like water, to the rule that denies or
 * allows it.
 */
export function Stairs({ walk, ...selecting }: { readonly walk: WalkView } & Selecting) {
  const { direction, end, verdict, special, steps } = walk;
  const stop = stopsAt(walk);
  const hasGround = stop === "ground";
  const count = steps.length + (hasGround ? 1 : 0);
  const ground = { "--step": steps.length } as CSSProperties;
  return (
    <section className="walk">
      <h3>
        <span>
          {direction === "egress" ? "Leaving" : "Entering"} <strong>{end}</strong>{" "}
          <span className="direction">{direction}</span>
        </span>
        <VerdictBadge verdict={verdict} />
      </h3>
      {special === undefined ? (
        <ol className="stairs" style={{ "--steps": count } as CSSProperties}>
          {steps.map((step, i) => (
            <Step key={step.tier} step={step} index={i} water={flowsOn(walk, i)} {...selecting} />
          ))}
          {hasGround && (
            <li className="step ground" style={ground}>
              <Stop verdict={verdict} />
              <h4>{defaultTier.title}</h4>
              <p className="step-outcome">
                {walk.byDefault ? "Nothing denies it." : "No rule decides it, so it is allowed."}
              </p>
            </li>
          )}
        </ol>
      ) : (
        <p className="special">{special}</p>
      )}
      <Remarks walk={walk} />
    </section>
  );
}

function Remarks({ walk: { conditions, missing, notes } }: { readonly walk: WalkView }) {
  if (conditions.length + missing.length + notes.length === 0) return null;
  return (
    <ul className="remarks">
      {missing.map((text) => (
        <li key={text} className="undecided">
          <strong>Not known:</strong> {text}
        </li>
      ))}
      {[...conditions, ...notes].map((text) => (
        <li key={text}>
          <strong>Note:</strong> {text}
        </li>
      ))}
    </ul>
  );
}
