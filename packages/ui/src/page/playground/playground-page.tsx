import "./playground.css";
import { useEffect, useRef, useState } from "react";
import { Loading, Notice } from "../frame/notice.js";
import { go, useAddress } from "../frame/use-address.js";
import { useAnswer } from "../frame/use-answer.js";
import type { CheckView } from "../worker/questions/playground.js";
import { DifferencePanel } from "./difference-panel.js";
import { Export } from "./export.js";
import { templates } from "./templates.js";
import { Toolbar } from "./toolbar.js";
import { useDifference } from "./use-difference.js";
import { YamlEditor } from "./yaml-editor.js";

/** What people have written in each text, while the page is open: going to another page and back loses nothing. */
const drafts = new Map<string, string>();

export function PlaygroundPage() {
  const { policy = "", template = templates[0]!.name, delete: deleting = "" } = useAddress().query;
  const written = useAnswer("playground-text", policy === "" ? undefined : { key: policy });
  const start = useAnswer("playground-start", { unlike: ["kube-", "default"] });
  const named = templates.find(({ name }) => name === template);
  if (policy !== "" && written.status === "answered" && written.answer === undefined)
    return (
      <Workbench key="missing" policy={policy} template={template} original="">
        <Notice title="There is no such policy">Choose another one, or write a new one.</Notice>
      </Workbench>
    );
  const original =
    policy === ""
      ? start.status === "answered"
        ? (named?.text(start.answer.namespace) ?? "")
        : undefined
      : written.status === "answered"
        ? written.answer
        : undefined;
  if (original === undefined) return <Loading>Opening the playground…</Loading>;
  return (
    <Workbench
      key={`${policy} ${template}`}
      policy={policy}
      template={template}
      original={original}
      isDeleted={policy !== "" && deleting !== ""}
    />
  );
}

function Workbench({
  policy,
  template,
  original,
  isDeleted = false,
  children,
}: {
  readonly policy: string;
  readonly template: string;
  readonly original: string;
  /** Whether it is about there being no such policy any more. */
  readonly isDeleted?: boolean;
  readonly children?: React.ReactNode;
}) {
  const draft = `${policy} ${template}`;
  const [text, setText] = useState(drafts.get(draft) ?? original);
  const [wantsLarge, setWantsLarge] = useState(false);
  const progress = useDifference({ text, deleted: isDeleted ? policy : undefined }, wantsLarge);
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<YamlEditor>(undefined);
  const change = (changed: string) => {
    drafts.set(draft, changed);
    setText(changed);
    setWantsLarge(false);
    // Who edits it means to keep it.
    if (isDeleted) go("playground", { policy }, "replace");
  };
  const onChange = useRef(change);
  useEffect(() => {
    onChange.current = change;
  });
  useEffect(() => {
    const made = new YamlEditor(host.current!, text, "The policy, as YAML", (changed) =>
      onChange.current(changed),
    );
    editor.current = made;
    return () => made.destroy();
    // Made once: from then on it holds the text.
  }, []);
  const { check } = progress;
  useEffect(() => {
    if (check !== undefined) editor.current?.mark(check.problems);
  }, [check]);
  return (
    <div className="playground">
      <h1 className="unseen">Playground</h1>
      <section className="play-edit" aria-label="Policy">
        <div className="play-bar">
          <Toolbar policy={policy} template={template} />
        </div>
        <div className={isDeleted ? "play-editor deleted" : "play-editor"} ref={host} />
        <div className="play-foot">
          <Problems check={check} onChoose={(offset) => editor.current?.goTo(offset)} />
          <Export
            text={text}
            isChanged={text !== original}
            onReset={() => editor.current?.replace(original)}
            {...(policy !== "" && {
              isDeleted,
              onDelete: () => go("playground", { policy, delete: isDeleted ? "" : "yes" }),
            })}
          />
        </div>
      </section>
      <section
        className="play-difference"
        aria-label="What it changes"
        tabIndex={0}
        aria-busy={progress.isBusy}
      >
        {children ?? <Difference progress={progress} onLarge={() => setWantsLarge(true)} />}
      </section>
    </div>
  );
}

function Difference({
  progress,
  onLarge,
}: {
  readonly progress: ReturnType<typeof useDifference>;
  readonly onLarge: () => void;
}) {
  const { check, failure, isOld } = progress;
  if (failure !== undefined)
    return (
      <Notice title="The difference could not be worked out" role="alert">
        {failure}
      </Notice>
    );
  if (check === undefined) return <Loading>Reading the policy…</Loading>;
  const errors = check.problems.filter(({ severity }) => severity === "error").length;
  if (errors === 0 && check.edits.length === 0)
    return (
      <Notice title="Nothing to compare">
        {check.others.length > 0
          ? `${check.others[0]} is not a policy that Tierwall evaluates. Other objects can be dropped on the page as files.`
          : "Write a policy, or start from a template: what it changes shows here while you write."}
      </Notice>
    );
  return (
    <>
      {errors > 0 ? (
        <div className="play-broken" role="status">
          <h2>Not a policy yet</h2>
          {errors === 1 ? "Mend what is marked" : `Mend the ${errors} marked places`}, and what it changes
          shows here.
        </div>
      ) : (
        <h2 className="play-edits">
          {check.edits.map(({ what, object }) => (
            <span key={object}>
              <span className="play-what">{doing[what]}</span> {object}
            </span>
          ))}
        </h2>
      )}
      <div className={isOld ? "play-old" : ""} inert={isOld}>
        <DifferencePanel progress={progress} onLarge={onLarge} />
      </div>
    </>
  );
}

const doing = { added: "adding", replaced: "replacing", deleted: "deleting" } as const;

/** The same that is marked in the text, for those who do not see marks. */
function Problems({
  check,
  onChoose,
}: {
  readonly check: CheckView | undefined;
  readonly onChoose: (offset: number) => void;
}) {
  const problems = check?.problems ?? [];
  if (problems.length === 0) return <p className="play-sound">{check !== undefined && "No mistakes."}</p>;
  return (
    <ul className="play-problems" aria-label="What is wrong with it">
      {problems.map(({ code, severity, message, from }) => (
        <li key={`${from} ${code} ${message}`}>
          <button type="button" onClick={() => onChoose(from)}>
            <strong>
              {severity} {code}
            </strong>{" "}
            {message}
          </button>
        </li>
      ))}
    </ul>
  );
}
