import { labelKey, labelValue } from "../../schema/formats.js";
import { type Format, list, object, required, string } from "../../schema/schema.js";
import { labelSelector } from "../../schema/selector.js";
import { namespaceLabelPrefix, sourceAndKey } from "./identity-selector.js";

const ciliumLabelKey: Format = {
  name: "cilium-label-key",
  check: (text) => {
    const { key } = sourceAndKey(text);
    // The label of a namespace may be as long as any other; Cilium's prefix does not count.
    const plain = key.startsWith(namespaceLabelPrefix) ? key.slice(namespaceLabelPrefix.length) : key;
    if (labelKey.check(plain).length === 0) return [];
    const expected = "a label key, with an optional source before it, as in `k8s:app.kubernetes.io/name`";
    return [{ code: "TW1301", message: `\`${text}\` is not a Cilium label key; write ${expected}` }];
  },
};

const plainRequirement = labelSelector("").fields.matchExpressions.items;

const requirement = object(
  plainRequirement.title,
  plainRequirement.description,
  {
    ...plainRequirement.fields,
    key: required(
      string("The label key, with or without its source (`k8s:app`).", {
        format: ciliumLabelKey,
      }),
    ),
  },
  plainRequirement.constraints,
);

/** A label selector whose keys may name their source, the namespace and the service account (S7.4). */
export const ciliumSelector = (description: string) =>
  object("a Cilium label selector", description, {
    matchLabels: {
      type: "map",
      description:
        "Labels that must all be present with these values; `k8s:io.kubernetes.pod.namespace` is the namespace's name.",
      keys: ciliumLabelKey,
      values: labelValue,
    } as const,
    matchExpressions: list("Conditions that must all hold.", requirement),
  });
