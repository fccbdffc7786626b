import { useState } from "react";

/** What to do with the text: copy or save it, reset it, or see what deleting the policy would change. */
export function Export({
  text,
  isChanged,
  onReset,
  isDeleted = false,
  onDelete,
}: {
  readonly text: string;
  readonly isChanged: boolean;
  readonly onReset: () => void;
  readonly isDeleted?: boolean;
  /** For a policy that exists: what would change without it. */
  readonly onDelete?: () => void;
}) {
  const [copied, setCopied] = useState(false);
  // Browsers give the clipboard to pages of this machine and encrypted ones only.
  const clipboard = "clipboard" in navigator ? navigator.clipboard : undefined;
  const copy = () => {
    void clipboard?.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return (
    <div className="work-export">
      {onDelete !== undefined && (
        <button
          type="button"
          aria-pressed={isDeleted}
          title="Shows what would change if this policy were deleted"
          onClick={onDelete}
        >
          Delete
        </button>
      )}
      <button type="button" disabled={!isChanged} onClick={onReset}>
        Reset
      </button>
      {clipboard !== undefined && (
        <button type="button" onClick={copy}>
          {copied ? "Copied" : "Copy"}
        </button>
      )}
      <button type="button" onClick={() => download(text, nameIn(text))}>
        Download
      </button>
      <span className="unseen" role="status">
        {copied ? "Copied to the clipboard" : ""}
      </span>
    </div>
  );
}

/** Saves a text as a file of this name. */
export function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replace(/[^A-Za-z0-9._-]/g, "-")}.yaml`;
  link.click();
  URL.revokeObjectURL(url);
}

/** After the first object that has a name. */
function nameIn(text: string): string {
  return /^\s*(?:metadata:\s*\{\s*)?name:\s*["']?([\w.-]+)/m.exec(text)?.[1] ?? "policy";
}
