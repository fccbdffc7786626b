import type { Problem } from "../../worker/summary.js";
import { Prose } from "../prose.js";

/** More than these are only counted. */
const mostShown = 50;

export function ErrorList({ errors }: { readonly errors: readonly Problem[] }) {
  return (
    <ul className="error-list">
      {errors.slice(0, mostShown).map(({ code, message, file, line }) => (
        <li key={`${code} ${file}:${line} ${message}`}>
          {file !== undefined && (
            <code>
              {file}:{line}
            </code>
          )}{" "}
          <span className="code">{code}</span> <Prose text={message} />
        </li>
      ))}
      {errors.length > mostShown && <li>…and {errors.length - mostShown} more</li>}
    </ul>
  );
}
