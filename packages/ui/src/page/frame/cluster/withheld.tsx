import type { Problem } from "../../worker/summary.js";
import { counted } from "../counted.js";
import { ErrorList } from "./error-list.js";

/** In the place of every view while something cannot be read: what it is, and where. */
export function Withheld({ errors }: { readonly errors: readonly Problem[] }) {
  return (
    <section className="withheld" role="alert">
      <h1>⚠ {counted(errors.length, "error")}: nothing is evaluated</h1>
      <p>
        What cannot be read may decide any connection, so no verdict is shown. This page follows the files:
        the answers return once the errors are fixed. <code>tierwall serve --keep-going</code> leaves out what
        has errors instead.
      </p>
      <ErrorList errors={errors} />
    </section>
  );
}
