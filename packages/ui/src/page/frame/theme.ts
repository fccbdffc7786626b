import { useEffect, useState } from "react";

/** The choice of the user; `system` follows the setting of the machine. */
export type Theme = "system" | "light" | "dark";

export const themes: readonly Theme[] = ["system", "light", "dark"];

const key = "tierwall.theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export function chosenTheme(): Theme {
  const stored = storedTheme();
  return themes.find((theme) => theme === stored) ?? "system";
}

/** A report that is opened in a sandbox has no storage. */
function storedTheme(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  apply();
}

/** Before anything is drawn, and whenever the machine's preference changes. */
export function followTheme(): void {
  apply();
  prefersDark.addEventListener("change", apply);
}

/** Called when light becomes dark or the other way round: canvases are drawn again then. */
export function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** Another number whenever light becomes dark or the other way round. */
export function useTheme(): number {
  const [count, setCount] = useState(0);
  useEffect(() => onThemeChange(() => setCount((last) => last + 1)), []);
  return count;
}

function apply(): void {
  const theme = chosenTheme();
  const dark = theme === "system" ? prefersDark.matches : theme === "dark";
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}
