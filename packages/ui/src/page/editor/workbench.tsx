import "./workbench.css";
import { type ReactNode, useEffect, useRef } from "react";
import { Prose } from "../frame/prose.js";
import type { ProblemMark } from "../worker/questions/problem-marks.js";
import { Export } from "./export.js";
import type { EditedKinds } from "./language/kinds.js";
import { YamlEditor } from "./yaml-editor.js";

export interface WorkbenchProps {
  /** Of the page, for screen readers. */
  readonly title: string;
  /** What is edited: `Policy`. */
  readonly what: string;
  readonly kinds: EditedKinds;
  readonly toolbar: ReactNode;
  /** The text as it is now, and as it was before it was edited. */
  readonly text: string;
  readonly original: string;
  readonly onChange: (text: string) => void;
  /** Undefined until the text has been checked. */
  readonly problems: readonly ProblemMark[] | undefined;
  readonly isDeleted?: boolean;
  /** Shows what would change if it were deleted. */
  readonly onDelete?: () => void;
  /** Of the right side. */
  readonly resultLabel: string;
  readonly isBusy: boolean;
  readonly children: ReactNode;
}

/** A text on the left, with what is wrong with it, and what it means on the right. */
export function Workbench({
  title,
  what,
  kinds,
  toolbar,
  text,
  original,
  onChange,
  problems,
  isDeleted = false,
  onDelete,
  resultLabel,
  isBusy,
  children,
}: WorkbenchProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<YamlEditor>(undefined);
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  useEffect(() => {
    const made = new YamlEditor(host.current!, text, {
      label: `The ${what.toLowerCase()}, as YAML`,
      kinds,
      onChange: (next) => changed.current(next),
    });
    editor.current = made;
    return () => made.destroy();
    // Made once: from then on it holds the text.
  }, []);
  useEffect(() => {
    if (problems !== undefined) editor.current?.mark(problems);
  }, [problems]);
  return (
    <div className="workbench">
      <h1 className="unseen">{title}</h1>
      <section className="work-edit" aria-label={what}>
        <div className="work-bar">{toolbar}</div>
        <div className={isDeleted ? "work-editor deleted" : "work-editor"} ref={host} />
        <div className="work-foot">
          <Problems problems={problems} text={text} onChoose={(offset) => editor.current?.goTo(offset)} />
          <Export
            text={text}
            isChanged={text !== original}
            onReset={() => editor.current?.replace(original)}
            {...(onDelete === undefined ? {} : { isDeleted, onDelete })}
          />
        </div>
      </section>
      <section className="work-result" aria-label={resultLabel} tabIndex={0} aria-busy={isBusy}>
        {children}
      </section>
    </div>
  );
}

/** What is marked in the text, as a list that the keyboard and screen readers reach. */
function Problems({
  problems,
  text,
  onChoose,
}: {
  readonly problems: readonly ProblemMark[] | undefined;
  readonly text: string;
  readonly onChoose: (offset: number) => void;
}) {
  if (problems === undefined || problems.length === 0)
    return <p className="work-sound">{problems !== undefined && "No mistakes."}</p>;
  return (
    <ul className="work-problems" aria-label="What is wrong with it">
      {problems.map(({ code, severity, message, from, to }) => (
        <li key={`${from} ${code} ${message}`}>
          <button type="button" onClick={() => onChoose(from)}>
            <strong>
              {severity} {code}
            </strong>{" "}
            <Prose text={message} />
            <Caret text={text} from={from} to={to} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The line that a mistake is in, with carets under it. The text may have changed since: then there may be no such line. */
function Caret({ text, from, to }: { readonly text: string; readonly from: number; readonly to: number }) {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = text.indexOf("\n", from);
  const line = text.slice(start, end === -1 ? text.length : end).trimEnd();
  if (line.trim() === "") return null;
  const indent = line.length - line.trimStart().length;
  const before = Math.max(0, from - start - indent);
  const carets = Math.max(1, Math.min(to, start + line.length) - from);
  const number = text.slice(0, start).split("\n").length;
  const gutter = `${number} | `;
  return (
    <code className="work-caret" aria-hidden="true">
      {`${gutter}${line.trimStart()}\n${" ".repeat(gutter.length + before)}${"^".repeat(carets)}`}
    </code>
  );
}
