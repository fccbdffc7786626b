import { useState } from "react";
import { Workbench } from "../editor/workbench.js";
import { Loading, Notice } from "../frame/notice.js";
import { go, hrefOf } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import { GuaranteeCard } from "./guarantee-card.js";
import { guaranteeTemplates } from "./templates.js";
import { liveBudget, useWrittenProofs, type WrittenProofs } from "./use-proofs.js";

/** What was written in each text while the page is open: going to another page and back loses nothing. */
const drafts = new Map<string, string>();

/** Writes a guarantee, or edits one: it is proven or refuted while it is being written. */
export function GuaranteeEditor({
  guarantee,
  template,
}: {
  /** The key of one that there is; empty for a new one. */
  readonly guarantee: string;
  readonly template: string;
}) {
  const written = useAnswer("guarantee-text", guarantee === "" ? undefined : { key: guarantee });
  const start = useAnswer("playground-start", { unlike: ["kube-", "default"] });
  if (guarantee !== "" && written.status === "answered" && written.answer === undefined)
    return (
      <Notice title="There is no such guarantee">
        <a href={hrefOf("guarantees")}>See all guarantees</a>
      </Notice>
    );
  const named = guaranteeTemplates.find(({ name }) => name === template);
  const namespace = shown(start)?.namespace;
  const fromTemplate = namespace === undefined ? undefined : (named?.text(namespace) ?? "");
  const original = guarantee === "" ? fromTemplate : shown(written);
  if (original === undefined) return <Loading>Opening the editor…</Loading>;
  const key = `${guarantee} ${template}`;
  return <Editing key={key} draft={key} original={original} guarantee={guarantee} template={template} />;
}

function Editing({
  draft,
  original,
  guarantee,
  template,
}: {
  readonly draft: string;
  readonly original: string;
  readonly guarantee: string;
  readonly template: string;
}) {
  const [text, setText] = useState(drafts.get(draft) ?? original);
  const [budget, setBudget] = useState(liveBudget);
  const proofs = useWrittenProofs(text, budget);
  const change = (changed: string) => {
    drafts.set(draft, changed);
    setText(changed);
    setBudget(liveBudget);
  };
  return (
    <Workbench
      title={guarantee === "" ? "Write a guarantee" : `Edit guarantee ${guarantee}`}
      what="Guarantee"
      kinds="guarantees"
      toolbar={<Toolbar guarantee={guarantee} template={template} />}
      text={text}
      original={original}
      onChange={change}
      problems={proofs.check?.problems}
      resultLabel="Whether it holds"
      isBusy={proofs.isBusy}
    >
      <Result proofs={proofs} onLonger={budget < 60 ? () => setBudget(60) : undefined} />
    </Workbench>
  );
}

function Toolbar({ guarantee, template }: { readonly guarantee: string; readonly template: string }) {
  const asked = shown(useAnswer("guarantees", {}));
  const guarantees = asked?.guarantees ?? [];
  return (
    <>
      <a className="guarantees-back" href={hrefOf("guarantees")}>
        ← All guarantees
      </a>
      {guarantees.length > 0 && (
        <label className="work-template">
          Edit a guarantee
          <select
            value={guarantee}
            onChange={({ target }) => target.value !== "" && go("guarantees", { edit: target.value })}
          >
            <option value="">Choose…</option>
            {guarantees.map(({ key }) => (
              <option key={key} value={key}>
                {key}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className="work-template">
        {guarantees.length > 0 ? "or write a new one" : "Write a new one"}
        <select
          value={guarantee === "" ? template : ""}
          onChange={({ target }) => go("guarantees", { template: target.value })}
        >
          {guarantee !== "" && <option value="">Start from…</option>}
          {guaranteeTemplates.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
          <option value="empty">An empty text</option>
        </select>
      </label>
    </>
  );
}

function Result({
  proofs: { check, byKey, isOld, failure },
  onLonger,
}: {
  readonly proofs: WrittenProofs;
  readonly onLonger: (() => void) | undefined;
}) {
  if (failure !== undefined)
    return (
      <Notice title="It could not be decided" role="alert">
        {failure}
      </Notice>
    );
  if (check === undefined) return <Loading>Reading the guarantee…</Loading>;
  const errors = check.problems.filter(({ severity }) => severity === "error").length;
  if (check.guarantees.length === 0)
    return errors > 0 ? (
      <Notice title="Not a guarantee yet">
        Fix {errors === 1 ? "the marked error" : `the ${errors} marked errors`} to see whether it holds.
      </Notice>
    ) : (
      <Notice title="Nothing to prove">
        Write a guarantee, or start from a template. Whether it holds is shown here while you write.
      </Notice>
    );
  return (
    <div className={isOld ? "guarantee-results old" : "guarantee-results"} inert={isOld}>
      {check.guarantees.map((written) => (
        <GuaranteeCard
          key={written.key}
          guarantee={written}
          proof={byKey.get(written.key)}
          isEditable={false}
          onLonger={onLonger}
        />
      ))}
      <p className="unseen" role="status">
        {[...byKey.values()].map(({ result }) => announcements[result]).join(" ")}
      </p>
    </div>
  );
}

/** Read out by screen readers when the result changes. */
const announcements = {
  Proven: "Proven: it holds in every cluster.",
  Refuted: "Refuted: there is a cluster in which it does not hold.",
  NotDecided: "Not decided.",
  Vacuous: "Vacuous: it is about no connection.",
  NotAsked: "It has errors.",
} as const;
