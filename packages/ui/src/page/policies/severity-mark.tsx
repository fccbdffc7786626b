import type { Severity } from "@tierwall/core";

export function SeverityMark({ severity }: { readonly severity: Severity }) {
  return (
    <span className={`severity ${severity}`} role="img" aria-label={severity}>
      {severity === "note" ? "i" : "!"}
    </span>
  );
}
