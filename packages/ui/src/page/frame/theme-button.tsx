import { useState } from "react";
import { chosenTheme, chooseTheme, type Theme, themes } from "./theme.js";

const words: Readonly<Record<Theme, { readonly icon: string; readonly name: string }>> = {
  system: { icon: "◐", name: "system" },
  light: { icon: "☀", name: "light" },
  dark: { icon: "☾", name: "dark" },
};

/** Cycles through: system, light, dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
  const { icon, name } = words[theme];
  const label = `Theme: ${name}. Change to ${words[next].name}`;
  const change = () => {
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" className="theme-button" onClick={change} aria-label={label} title={label}>
      <span aria-hidden="true">{icon}</span>
    </button>
  );
}
