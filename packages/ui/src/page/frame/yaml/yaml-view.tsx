import { useEffect, useRef } from "react";
import type { YamlView } from "../../worker/questions/yaml.js";
import { tokensOf } from "./yaml-tokens.js";

/** YAML as in its file, numbered, with the selected lines marked and visible. */
export function YamlText({ yaml, label }: { readonly yaml: YamlView; readonly label: string }) {
  const box = useRef<HTMLPreElement>(null);
  const { lines, firstNumber, marked } = yaml;
  useEffect(() => {
    const pre = box.current;
    const first = pre?.querySelector<HTMLElement>(".marked");
    if (pre === null) return;
    // A few lines above it show the context.
    pre.scrollTop = first ? Math.max(0, first.offsetTop - 4 * first.offsetHeight) : 0;
  }, [yaml]);
  return (
    // Long lines scroll, and the keyboard has to reach that.
    <pre className="yaml" ref={box} tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, i) => {
        const number = firstNumber + i;
        const isMarked = marked.some(([first, last]) => first <= number && number <= last);
        return (
          <span key={number} className={isMarked ? "yaml-line marked" : "yaml-line"}>
            <span className="yaml-number" aria-hidden="true">
              {number}
            </span>
            <code>
              {tokensOf(line).map(({ kind, text }, t) => (
                <span key={t} className={`yaml-${kind}`}>
                  {text}
                </span>
              ))}
              {"\n"}
            </code>
          </span>
        );
      })}
    </pre>
  );
}
