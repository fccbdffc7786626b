import type { FrameView } from "../worker/questions/guarantee/frame-view.js";
import { Prose } from "./prose.js";

/** A mistake: what it is, where, the lines around it with a caret, and what to do. */
export function CodeFrame({ problem }: { readonly problem: FrameView }) {
  const { code, message, hint, place, frame } = problem;
  return (
    <div className="code-frame">
      <p>
        {place !== undefined && (
          <code>
            {place.file}:{place.line}
          </code>
        )}{" "}
        <span className="code">{code}</span> <Prose text={message} />
      </p>
      {frame !== undefined && (
        <pre aria-hidden="true">
          {frame.lines.map((line, i) => `${gutter(frame.firstLine + i)}${line}\n`).join("")}
          {`${" ".repeat(gutterWidth + frame.before)}${"^".repeat(frame.carets)}`}
        </pre>
      )}
      {hint !== undefined && (
        <p>
          <Prose text={hint} />
        </p>
      )}
    </div>
  );
}

const gutterWidth = 7;
const gutter = (line: number): string => `${String(line).padStart(gutterWidth - 3)} | `;
