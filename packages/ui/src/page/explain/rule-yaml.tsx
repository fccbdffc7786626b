import { hrefOf } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import { YamlText } from "../frame/yaml/yaml-view.js";
import type { Selection } from "./selection.js";

/** The YAML of the selected rule, as in its file. */
export function RuleYaml({ selection: { policy, path, title } }: { readonly selection: Selection }) {
  const yaml = shown(useAnswer("yaml", { policy: policy.key, path }));
  return (
    <aside className="rule-yaml" aria-label={`YAML of ${title}`}>
      <header>
        <h3>{title}</h3>
        <p>
          {yaml?.place !== undefined && (
            <code className="place">
              {yaml.place.file}:{yaml.place.line}
            </code>
          )}
          <a href={hrefOf("policies", { policy: policy.key })}>show in Policies</a>
        </p>
      </header>
      {yaml !== undefined && <YamlText yaml={yaml} label={`Text of ${title}`} />}
    </aside>
  );
}
