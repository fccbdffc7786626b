import type { NodeOptions } from "@tierwall/agent";
import type { Cidr } from "@tierwall/core/model";
import { type Command, Option } from "commander";
import { connectionMask, count, logGroup } from "./quantity.js";
import { cidr, collectWith } from "./state.js";

/** Options of every command about what one node enforces, except for its name. */
export interface NodeFlags {
  readonly podRange?: readonly Cidr[];
  readonly unknownPods: "deny" | "allow";
  readonly deny: "drop" | "reject";
  readonly shadow?: boolean;
  readonly connmarkMask: number;
  readonly logGroup?: number;
  readonly logRate: number;
}

export function withNodeFlags(command: Command): Command {
  return command
    .option(
      "--pod-range <cidr>",
      "the range that pods of this node get their addresses from (repeatable) (default: the podCIDRs of the Node)",
      collectWith(cidr),
    )
    .addOption(
      new Option(
        "--unknown-pods <verdict>",
        "what happens to addresses in that range of which no pod is known yet",
      )
        .choices(["deny", "allow"])
        .default("deny"),
    )
    .addOption(
      new Option("--deny <manner>", "how packets are refused: silently, or with an error to the sender")
        .choices(["drop", "reject"])
        .default("drop"),
    )
    .option("--shadow", "count and log what would be denied on this node, and deny nothing")
    .addOption(
      new Option("--connmark-mask <mask>", "the bits of the connection mark that are Tierwall's own")
        .argParser(connectionMask)
        .default(0xffff0000, "0xffff0000"),
    )
    .option("--log-group <number>", "the NFLOG group that packets are logged to", logGroup)
    .addOption(
      new Option("--log-rate <number>", "packets a second that are logged, for each rule")
        .argParser(count)
        .default(10),
    );
}

/** `group`: absent, nothing is logged. */
export function nodeOptionsOf(node: string, flags: NodeFlags, group = flags.logGroup): NodeOptions {
  const { unknownPods, deny, connmarkMask, logRate } = flags;
  return {
    node,
    connectionMask: connmarkMask,
    deny,
    unknownPods,
    localRanges: flags.podRange ?? [],
    shadow: flags.shadow ?? false,
    ...(group === undefined ? {} : { log: { group, perSecond: logRate, burst: Math.max(5, logRate) } }),
  };
}
