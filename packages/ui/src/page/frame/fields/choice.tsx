import "../tools.css";

interface ChoiceProps<V extends string> {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly choices: readonly { readonly value: V; readonly text: string }[];
  readonly onChoose: (value: V) => void;
}

/** One of a few, side by side: radio buttons that look like one switch. */
export function Choice<V extends string>({ label, name, value, choices, onChoose }: ChoiceProps<V>) {
  return (
    <fieldset className="choice">
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChoose(choice.value)}
          />
          <span>{choice.text}</span>
        </label>
      ))}
    </fieldset>
  );
}
