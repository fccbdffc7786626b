import { parseLabelExpression } from "@tierwall/core/manifest";
import type { StateOptions } from "@tierwall/core/state";
import { type Command, InvalidArgumentError, Option } from "commander";

/** Options that say how Cilium is set up (S7.12, S7.15, S7.16). */
export interface CiliumFlags {
  readonly ciliumEnforcement?: "default" | "always" | "never";
  readonly ciliumClusterName?: string;
  readonly ciliumLabels?: readonly string[];
}

export function withCiliumFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--cilium-enforcement <mode>", "Cilium's policy enforcement mode").choices([
        "default",
        "always",
        "never",
      ]),
    )
    .option("--cilium-cluster-name <name>", "the name that Cilium knows this cluster by (default: default)")
    .option(
      "--cilium-labels <expression>",
      "labels that count for Cilium or, with !, do not, as in its option `labels` (repeatable)",
      labelExpressions,
    );
}

/** As in Cilium's configuration, several are written in one text with spaces between them. */
function labelExpressions(text: string, previous: readonly string[] | undefined): readonly string[] {
  const written = text.split(/\s+/).filter((part) => part !== "");
  const wrong = written.find((part) => parseLabelExpression(part) === undefined);
  if (wrong !== undefined || written.length === 0)
    throw new InvalidArgumentError(
      `\`${wrong ?? text}\` is not an expression for labels, such as k8s:app or k8s:!io\\.example.* (no groups, at most two repetitions)`,
    );
  return [...(previous ?? []), ...written];
}

export function ciliumOptions({
  ciliumEnforcement,
  ciliumClusterName,
  ciliumLabels,
}: CiliumFlags): Pick<StateOptions, keyof CiliumFlags> {
  return {
    ...(ciliumEnforcement === undefined ? {} : { ciliumEnforcement }),
    ...(ciliumClusterName === undefined ? {} : { ciliumClusterName }),
    ...(ciliumLabels === undefined ? {} : { ciliumLabels }),
  };
}
