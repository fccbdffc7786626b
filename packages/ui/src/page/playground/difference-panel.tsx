import { Caveats } from "../frame/caveats.js";
import { counted, figure } from "../frame/counted.js";
import { hrefOf } from "../frame/use-address.js";
import { verdictWords } from "../frame/verdict.js";
import type { GroupView, RemarksView, SectionView } from "./difference-view.js";
import type { Progress } from "./use-difference.js";

/** What an edit would change: figures first, then lockouts and overrides, then all connections by the rules that decide. */
export function DifferencePanel({
  progress: { outline, difference, isBusy },
  onLarge,
}: {
  readonly progress: Progress;
  /** Called when the user asks for the whole difference, however long it takes. */
  readonly onLarge: () => void;
}) {
  const sections = difference?.sections ?? outline?.sections;
  if (sections === undefined) return null;
  const remarks = difference?.remarks ?? [];
  return (
    <>
      <Figures sections={sections} />
      <Caveats caveats={(difference ?? outline)?.caveats ?? []} />
      {remarks.filter(isLoss).map((view) => (
        <RemarkList key={view.title} view={view} />
      ))}
      {sections.map((section) => (
        <Section key={section.verdict} section={section} />
      ))}
      {remarks
        .filter((view) => !isLoss(view))
        .map((view) => (
          <RemarkList key={view.title} view={view} />
        ))}
      {difference === undefined && isBusy && (
        <p className="play-note" role="status">
          <span className="spinner small" aria-hidden="true" /> Working out which rule decides each, and what
          is overridden…
        </p>
      )}
      {difference === undefined && !isBusy && outline?.isLarge && (
        <p className="play-note">
          So many connections change that finding the rule for each takes a while.{" "}
          <button type="button" onClick={onLarge}>
            Find the rules
          </button>
        </p>
      )}
      {difference !== undefined && difference.unchecked.length > 0 && (
        <p className="play-note">
          Lockouts from {difference.unchecked.join(" and ")} were not checked: the input does not contain{" "}
          their addresses.
        </p>
      )}
    </>
  );
}

const verdicts = ["Deny", "Allow", "Undecided"] as const;
const newly = { Deny: "newly denied", Allow: "newly allowed", Undecided: "newly undecided" } as const;

function Figures({ sections }: { readonly sections: readonly SectionView[] }) {
  const count = (verdict: SectionView["verdict"]) =>
    sections.find((section) => section.verdict === verdict)?.connections ?? 0;
  return (
    <>
      <ul className="play-figures" aria-label="Connections that change">
        {verdicts.map((verdict) => {
          const { mark, tone } = verdictWords[verdict];
          return (
            <li key={verdict} className={count(verdict) === 0 ? "none" : tone}>
              <strong>
                <span aria-hidden="true">{mark}</span> {figure(count(verdict))}
              </strong>{" "}
              {newly[verdict]}
            </li>
          );
        })}
      </ul>
      {sections.length === 0 && (
        <p className="play-same">Every connection is allowed or denied as it was before.</p>
      )}
    </>
  );
}

/** Remarks about pods that lose something have the colour of denied connections. */
const isLoss = ({ title }: RemarksView): boolean => title === "lockouts" || title === "cut off";

const meanings: Readonly<Record<string, string>> = {
  lockouts: "pods that lose a connection that they need",
  "cut off": "pods that can open, or accept, no connection any more",
  overrides: "policies of tier network-policy that it contradicts",
  "is overridden": "rules that are evaluated before it, and contradict it",
  "ambiguous order": "policies of the same priority that disagree",
  "newly isolated": "pods that only allowed connections can reach, or leave",
};

function RemarkList({ view }: { readonly view: RemarksView }) {
  const { title, remarks, moreRemarks } = view;
  return (
    <section className={isLoss(view) ? "play-remarks denied" : "play-remarks"}>
      <h3>
        {title} <span className="play-count">{remarks.length + moreRemarks}</span>{" "}
        <small>{meanings[title]}</small>
      </h3>
      <ul>
        {remarks.map(({ text, more }) => (
          <li key={`${text} ${more.join()}`}>
            {text}
            {more.map((line) => (
              <div key={line} className="play-more">
                {line}
              </div>
            ))}
          </li>
        ))}
      </ul>
      <More count={moreRemarks} noun="more" />
    </section>
  );
}

function Section({ section }: { readonly section: SectionView }) {
  const { verdict, title, connections, sources, moreSources, groups, moreGroups } = section;
  const { mark, tone } = verdictWords[verdict];
  const from = sources.map(({ name, connections: count }) => `${name} ${figure(count)}`).join(" · ");
  return (
    <section className={`play-section ${tone}`}>
      <h3>
        <span aria-hidden="true">{mark}</span> {title}{" "}
        <span className="play-count">{figure(connections)}</span>{" "}
        <small>
          from {from}
          {moreSources > 0 && ` · ${figure(moreSources)} more`}
        </small>
      </h3>
      {groups.map((group) => (
        <Group key={group.by} group={group} />
      ))}
      <More count={moreGroups} noun="more rules" />
    </section>
  );
}

function Group({ group: { by, rows, moreRows } }: { readonly group: GroupView }) {
  return (
    <div className="play-group">
      <h4>{by}</h4>
      <ul>
        {rows.map(({ connections, from, to, ports, before, question }) => (
          <li key={`${from} ${to} ${ports} ${before}`}>
            <span className="play-number">{connections === undefined ? "" : figure(connections)}</span>
            <span>
              <span className="play-ends">
                {from} <span aria-label="to">→</span> {to} <span className="play-ports">{ports}</span>
              </span>
              {before !== undefined && <span className="play-more">{before}</span>}
            </span>
            <a
              href={hrefOf("explain", { ...question })}
              title={`${question.from} → ${question.to} :${question.port}, before the edit`}
            >
              explain current verdict
              <span className="unseen">: {`${question.from} to ${question.to} on ${question.port}`}</span>
            </a>
          </li>
        ))}
      </ul>
      <More count={moreRows} noun="more like these" />
    </div>
  );
}

function More({ count, noun }: { readonly count: number; readonly noun: string }) {
  return count === 0 ? null : (
    <p className="play-more">…and {counted(count, noun, noun)}; `tierwall preview` lists all</p>
  );
}
