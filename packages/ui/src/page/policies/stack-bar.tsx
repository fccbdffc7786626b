import { type PolicyFilter, choices } from "./wanted.js";

/** What of the stack is shown. */
export function StackBar({
  filter,
  choice,
  count,
  busy,
  onChange,
}: {
  readonly filter: string;
  readonly choice: PolicyFilter;
  readonly count: string;
  /** What is still being worked out; empty when all is there. */
  readonly busy: string;
  readonly onChange: (part: { readonly filter?: string; readonly show?: string }) => void;
}) {
  return (
    <search className="stack-bar" aria-label="Filter">
      <input
        type="search"
        aria-label="Filter by name, namespace, labels, ports"
        placeholder="Filter by name, namespace, labels, ports"
        value={filter}
        onChange={(event) => onChange({ filter: event.target.value })}
      />
      <div className="choices" role="group" aria-label="Show">
        {(Object.keys(choices) as PolicyFilter[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === choice}
            onClick={() => onChange({ show: name === "all" ? "" : name })}
          >
            {choices[name]}
          </button>
        ))}
      </div>
      <p role="status">
        {count}
        {busy !== "" && <span className="busy">{busy}</span>}
      </p>
    </search>
  );
}
