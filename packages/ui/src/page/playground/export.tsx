import { useState } from "react";

/** What to do with the text: take it along, back to how it was, or away with it. */
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
  /** For a policy that is there: what if it were not? */
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
    <div className="play-export">
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
      <button type="button" onClick={() => download(text)}>
        Download
      </button>
      <span className="unseen" role="status">
        {copied ? "Copied to the clipboard" : ""}
      </span>
    </div>
  );
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${nameIn(text)}.yaml`;
  link.click();
  URL.revokeObjectURL(url);
}

/** After the first object that has a name. */
function nameIn(text: string): string {
  return /^\s*(?:metadata:\s*\{\s*)?name:\s*["']?([\w.-]+)/m.exec(text)?.[1] ?? "policy";
}
