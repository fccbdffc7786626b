import "./playground.css";
import { type ReactNode, useState } from "react";
import { Workbench } from "../editor/workbench.js";
import { Loading, Notice } from "../frame/notice.js";
import { go, useAddress } from "../frame/use-address.js";
import { useAnswer } from "../frame/use-answer.js";
import type { PolicyEdit } from "../worker/questions/edit-desk.js";
import { BrokenGuarantees } from "./broken-guarantees.js";
import { DifferencePanel } from "./difference-panel.js";
import { templates } from "./templates.js";
import { Toolbar } from "./toolbar.js";
import { useDifference } from "./use-difference.js";

/** What was written in each text while the page is open: going to another page and back loses nothing. */
const drafts = new Map<string, string>();

export function PlaygroundPage() {
  const { policy = "", template = templates[0]!.name, delete: deleting = "" } = useAddress().query;
  const written = useAnswer("playground-text", policy === "" ? undefined : { key: policy });
  const start = useAnswer("playground-start", { unlike: ["kube-", "default"] });
  const named = templates.find(({ name }) => name === template);
  if (policy !== "" && written.status === "answered" && written.answer === undefined)
    return (
      <Editing key="missing" policy={policy} template={template} original="">
        <Notice title="There is no such policy">Choose another one, or write a new one.</Notice>
      </Editing>
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
    <Editing
      key={`${policy} ${template}`}
      policy={policy}
      template={template}
      original={original}
      isDeleted={policy !== "" && deleting !== ""}
    />
  );
}

function Editing({
  policy,
  template,
  original,
  isDeleted = false,
  children,
}: {
  readonly policy: string;
  readonly template: string;
  readonly original: string;
  /** Whether to show what would change if the policy were deleted. */
  readonly isDeleted?: boolean;
  readonly children?: ReactNode;
}) {
  const draft = `${policy} ${template}`;
  const [text, setText] = useState(drafts.get(draft) ?? original);
  const [wantsLarge, setWantsLarge] = useState(false);
  const edit = { text, deleted: isDeleted ? policy : undefined };
  const progress = useDifference(edit, wantsLarge);
  const { check } = progress;
  const change = (changed: string) => {
    drafts.set(draft, changed);
    setText(changed);
    setWantsLarge(false);
    // Editing a policy means to keep it.
    if (isDeleted) go("playground", { policy }, "replace");
  };
  return (
    <Workbench
      title="Playground"
      what="Policy"
      kinds="policies"
      toolbar={<Toolbar policy={policy} template={template} />}
      text={text}
      original={original}
      onChange={change}
      problems={check?.problems}
      isDeleted={isDeleted}
      {...(policy !== "" && {
        onDelete: () => go("playground", { policy, delete: isDeleted ? "" : "yes" }),
      })}
      resultLabel="What it changes"
      isBusy={progress.isBusy}
    >
      {children ?? <Difference progress={progress} edit={edit} onLarge={() => setWantsLarge(true)} />}
    </Workbench>
  );
}

function Difference({
  progress,
  edit,
  onLarge,
}: {
  readonly progress: ReturnType<typeof useDifference>;
  readonly edit: PolicyEdit;
  readonly onLarge: () => void;
}) {
  const { check, failure, isOld } = progress;
  if (failure !== undefined)
    return (
      <Notice title="The difference could not be computed" role="alert">
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
          Fix {errors === 1 ? "the marked error" : `the ${errors} marked errors`} to see what the policy
          changes.
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
        <BrokenGuarantees edit={edit} isWanted={errors === 0} />
        <DifferencePanel progress={progress} onLarge={onLarge} />
      </div>
    </>
  );
}

const doing = { added: "adding", replaced: "replacing", deleted: "deleting" } as const;
