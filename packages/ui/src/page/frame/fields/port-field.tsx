import { useState } from "react";
import { SuggestField } from "./suggest-field.js";
import { shown, useAnswer } from "../use-answer.js";

export interface PortFieldProps {
  /** The endpoint whose ports are offered. */
  readonly to: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

/** The port asked about; empty is every port. */
export function PortField({ to, value, onChoose }: PortFieldProps) {
  const [text, setText] = useState("");
  const known = shown(useAnswer("ports", to === "" ? undefined : { to })) ?? [];
  const fitting = known.filter(({ value, name = "" }) => value.startsWith(text) || name.startsWith(text));
  return (
    <SuggestField
      className="port-field"
      label="Port"
      value={value}
      placeholder="every port"
      choices={fitting.map(({ value, name }) => ({ value, ...(name === undefined ? {} : { detail: name }) }))}
      onType={setText}
      onChoose={onChoose}
    />
  );
}
