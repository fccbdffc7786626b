import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";

export interface FieldChoice {
  readonly value: string;
  /** What it is, shown next to it. */
  readonly detail?: string;
}

export interface SuggestFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Those that fit what was typed; null while they are not known. */
  readonly choices: readonly FieldChoice[] | null;
  readonly onType: (text: string) => void;
  /** An option was chosen, or the text is complete. */
  readonly onChoose: (value: string) => void;
  readonly className?: string;
}

/** A text with suggestions: a combobox as screen readers know it. Typing filters, arrows move, Enter takes. */
export function SuggestField({
  label,
  value,
  placeholder,
  choices,
  onType,
  onChoose,
  className = "",
}: SuggestFieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const offered = isOpen ? (choices ?? []) : [];
  const take = (chosen: string) => {
    setText(chosen);
    setIsOpen(false);
    setActive(-1);
    if (chosen !== value) onChoose(chosen);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => {
      if (isOpen) setActive(Math.min(active + 1, offered.length - 1));
      else open();
    },
    ArrowUp: () => setActive(Math.max(active - 1, -1)),
    Enter: () => take(offered[active]?.value ?? text.trim()),
    Escape: () => {
      setIsOpen(false);
      setActive(-1);
    },
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  function open(): void {
    // The text is what was chosen before: all others are of interest, too.
    onType(text === value ? "" : text);
    setIsOpen(true);
    setActive(-1);
  }

  return (
    <div className={`suggest ${className}`}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        role="combobox"
        aria-expanded={offered.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        placeholder={placeholder}
        onFocus={(event) => {
          event.target.select();
          open();
        }}
        onClick={() => !isOpen && open()}
        onBlur={() => isOpen && take(text.trim())}
        onChange={(event) => {
          setText(event.target.value);
          setIsOpen(true);
          setActive(-1);
          onType(event.target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={label} ref={list} hidden={offered.length === 0}>
        {offered.map((choice, i) => (
          <li
            key={choice.value}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active}
            // Before the text loses the focus, which would end it.
            onPointerDown={(event) => {
              event.preventDefault();
              take(choice.value);
            }}
          >
            <span className="choice-value">{choice.value}</span>
            {choice.detail !== undefined && <span className="choice-detail">{choice.detail}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
