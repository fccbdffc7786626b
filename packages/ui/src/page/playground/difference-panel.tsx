import { Caveats } from "../frame/caveats.js";
import { counted, figure } from "../frame/counted.js";
import { hrefOf } from "../frame/use-address.js";
import { verdictWords } from "../frame/verdict.js";
import type { GroupView, RemarksView, SectionView } from "./difference-view.js";
import type { Progress } from "./use-difference.js";

/** What an edit would change: figures first, then what one would rather have known, then everything by who does it. */
export function DifferencePanel({
  progress: { outline, difference, isBusy },
  onLarge,
}: {
  readonly progress: Progress;
  /** Somebody wants to know, however long it takes. */
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
          <span className="spinner small" aria-hidden="true" /> Working out who is responsible for each, and
          what is overridden…
        </p>
      )}
      {difference === undefined && !isBusy && outline?.isLarge && (
        <p className="play-note">
          So much changes that it takes a while to say why for each of them.{" "}
          <button type="button" onClick={onLarge}>
            Work it out
          </button>
        </p>
      )}
      {difference !== undefined && difference.unchecked.length > 0 && (
        <p className="play-note">
          Lockouts from {difference.unchecked.join(" and ")} were not looked for: the input does not tell
          where that is.
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

/** Those that take something from somebody come in the colour of what is denied. */
const isLoss = ({ title }: RemarksView): boolean => title === "lockouts" || title === "cut off";

const meanings: Readonly<Record<string, string>> = {
  lockouts: "pods that can hardly do without it lose it",
  "cut off": "pods that can open no connection, or be opened none, any more",
  overrides: "policies of tier network-policy whose traffic it decides otherwise",
  "is overridden": "rules that are asked before, and decide otherwise",
  "ambiguous order": "policies of the same priority that disagree",
  "newly isolated": "pods that only what is allowed may talk to from now on",
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
              title={`${question.from} → ${question.to} :${question.port}, as it is today`}
            >
              why today?
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
