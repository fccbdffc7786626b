import type { Grain } from "@tierwall/core";
import { Choice } from "../frame/fields/choice.js";
import { TextField } from "../frame/fields/text-field.js";

export interface MatrixToolsProps {
  readonly by: Grain;
  readonly port: string;
  readonly colour: string;
  readonly isBusy: boolean;
  readonly onChange: (part: Record<string, string>) => void;
}

const grains: readonly { readonly value: Grain; readonly text: string }[] = [
  { value: "namespace", text: "Namespaces" },
  { value: "workload", text: "Workloads" },
  { value: "pod", text: "Pods" },
];

const colours = [
  { value: "", text: "Verdict" },
  { value: "tier", text: "Deciding tier" },
] as const;

export function MatrixTools({ by, port, colour, isBusy, onChange }: MatrixToolsProps) {
  return (
    <form className="tools" onSubmit={(event) => event.preventDefault()}>
      <h1 className="unseen">Matrix</h1>
      <Choice
        label="Rows"
        name="by"
        value={by}
        choices={grains}
        onChoose={(value) => onChange({ by: value })}
      />
      <Choice
        label="Colour by"
        name="colour"
        value={colour}
        choices={colours}
        onChoose={(value) => onChange({ colour: value })}
      />
      <TextField
        label="Port"
        value={port}
        placeholder="every port"
        onDone={(value) => onChange({ port: value })}
      />
      <span className="tools-busy" role="status">
        {isBusy ? "asking about all pairs…" : ""}
      </span>
    </form>
  );
}
