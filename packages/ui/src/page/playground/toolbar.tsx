import { useState } from "react";
import { SuggestField } from "../frame/fields/suggest-field.js";
import { go } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import { templates } from "./templates.js";

/** What to edit: a policy that is there, or a new one. */
export function Toolbar({ policy, template }: { readonly policy: string; readonly template: string }) {
  const [typed, setTyped] = useState<string>();
  const asked = useAnswer("playground-choices", typed === undefined ? undefined : { text: typed });
  const choices = shown(asked) ?? [];
  const keys = new Map(choices.map(({ key }) => [titleOf(key), key]));
  return (
    <>
      <SuggestField
        label="Edit a policy"
        className="work-choose"
        value={policy === "" ? "" : titleOf(policy)}
        placeholder="kind, namespace or name"
        choices={choices.map(({ key, kind, name }) => ({ value: `${kind} ${name}`, detail: groupOf(key) }))}
        onType={setTyped}
        onChoose={(title) => {
          const key = keys.get(title);
          if (key !== undefined) go("playground", { policy: key });
        }}
      />
      <label className="work-template">
        or write a new one
        <select
          value={policy === "" ? template : ""}
          onChange={({ target }) => go("playground", { template: target.value })}
        >
          {policy !== "" && <option value="">Start from…</option>}
          {templates.map(({ name, title }) => (
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

/** `NetworkPolicy.networking.k8s.io/shop/web` is known as `NetworkPolicy shop/web`. */
const titleOf = (key: string): string => key.replace(/\.[^/]*\//, " ");
const groupOf = (key: string): string => /\.([^/]*)\//.exec(key)?.[1] ?? "";
