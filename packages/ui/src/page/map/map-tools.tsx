import { useState } from "react";
import { Choice } from "../frame/fields/choice.js";
import { TextField } from "../frame/fields/text-field.js";
import { SuggestField } from "../frame/fields/suggest-field.js";
import { defaultTier, tierWords } from "../frame/tiers.js";
import type { MapChoices } from "../worker/questions/map.js";

export interface MapToolsProps {
  readonly query: Readonly<Record<string, string>>;
  readonly choices: MapChoices | undefined;
  readonly isBusy: boolean;
  readonly onChange: (part: Record<string, string>) => void;
}

const views = [
  { value: "", text: "Map" },
  { value: "list", text: "List" },
] as const;

/** At most so many are offered: typing on is quicker than reading. */
const mostOffered = 30;

export function MapTools({ query, choices, isBusy, onChange }: MapToolsProps) {
  const { namespace = "", label = "", port = "", tier = "", policy = "", view = "" } = query;
  const chosen = choices?.policies.find(({ key }) => key === policy);
  return (
    <form className="tools map-tools" role="search" onSubmit={(event) => event.preventDefault()}>
      <h1 className="unseen">Map</h1>
      <Choice
        label=""
        name="view"
        value={view}
        choices={views}
        onChoose={(value) => onChange({ view: value })}
      />
      <Search
        label="Find"
        placeholder="name"
        value=""
        offers={choices?.places ?? []}
        onChoose={(key) => onChange({ focus: key, edge: "" })}
      />
      <TextField
        label="Namespace"
        value={namespace}
        placeholder="any"
        onDone={(value) => onChange({ namespace: value })}
      />
      <TextField
        label="Labels"
        value={label}
        placeholder="app=web"
        onDone={(value) => onChange({ label: value })}
      />
      <TextField
        label="Port"
        value={port}
        placeholder="every port"
        onDone={(value) => onChange({ port: value })}
      />
      <label className="tool">
        Decided by
        <select
          value={policy === "" ? tier : ""}
          onChange={(event) => onChange({ tier: event.target.value, policy: "" })}
        >
          <option value="">any tier</option>
          {(choices?.tiers ?? []).map((name) => (
            <option key={name} value={name}>
              {tierWords[name].title}
            </option>
          ))}
          <option value="default">{defaultTier.title}</option>
        </select>
      </label>
      <Search
        label="Policy"
        placeholder="any policy"
        value={chosen?.title ?? ""}
        offers={(choices?.policies ?? []).map(({ key, title }) => ({ key, name: title, detail: "" }))}
        onChoose={(key) => onChange({ policy: key, tier: "" })}
      />
      <span className="tools-busy" role="status">
        {isBusy ? "loading…" : ""}
      </span>
    </form>
  );
}

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly offers: readonly { readonly key: string; readonly name: string; readonly detail: string }[];
  readonly onChoose: (key: string) => void;
}

/** Something by its name; nothing at all gives the empty key. */
function Search({ label, placeholder, value, offers, onChoose }: SearchProps) {
  const [text, setText] = useState("");
  const wanted = text.toLowerCase();
  const fitting = offers.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, mostOffered);
  return (
    <SuggestField
      className="tool-suggest"
      label={label}
      value={value}
      placeholder={placeholder}
      choices={fitting.map(({ name, detail }) => ({ value: name, detail }))}
      onType={setText}
      onChoose={(name) => {
        const found = offers.find((offer) => offer.name === name);
        if (found !== undefined || name === "") onChoose(found?.key ?? "");
      }}
    />
  );
}
