import { useState } from "react";
import type { EndpointsRequest } from "../../worker/questions/endpoints.js";
import { SuggestField } from "./suggest-field.js";
import { shown, useAnswer } from "../use-answer.js";

export interface EndpointFieldProps {
  readonly label: string;
  readonly role: EndpointsRequest["role"];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

/** One end of a connection: workloads, pods, Services, nodes, or any address. */
export function EndpointField({ label, role, value, onChoose }: EndpointFieldProps) {
  const [text, setText] = useState<string>();
  const asked = useAnswer("endpoints", text === undefined ? undefined : { text, role });
  return (
    <SuggestField
      label={label}
      value={value}
      placeholder="namespace/name, node:name or an address"
      choices={shown(asked) ?? null}
      onType={setText}
      onChoose={onChoose}
    />
  );
}
