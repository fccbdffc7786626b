import type { NodeOptions } from "@tierwall/agent";
import type { Cidr } from "@tierwall/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import { cidr, collectWith } from "./state.js";

/** Options of every command about one node. */
export interface NodeFlags {
  readonly node: string;
  readonly nodePodCidr?: readonly Cidr[];
  readonly unknownPods: "deny" | "allow";
  readonly deny: "drop" | "reject";
  readonly connectionMask: number;
  readonly shadow?: boolean;
  readonly logGroup?: number;
  readonly logRate: number;
  readonly logBurst: number;
}

export function withNodeFlags(command: Command): Command {
  return command
    .requiredOption("--node <name>", "the node it is about")
    .option(
      "--node-pod-cidr <cidr>",
      "the range that pods of this node get their addresses from (repeatable)",
      collectWith(cidr),
    )
    .addOption(
      new Option("--unknown-pods <mode>", "addresses in that range of which no pod is known")
        .choices(["deny", "allow"])
        .default("deny"),
    )
    .addOption(
      new Option("--deny <how>", "what happens to packets that are denied")
        .choices(["drop", "reject"])
        .default("drop"),
    )
    .addOption(
      new Option("--connection-mask <mask>", "the bits of the connection mark that are Tierwall's own")
        .argParser(connectionMask)
        .default(0xffff0000, "0xffff0000"),
    )
    .option("--shadow", "count and log what policies deny, and let it through")
    .option("--log-group <number>", "send what is denied to this NFLOG group", wholeNumber(0, 65535))
    .option("--log-rate <number>", "log lines a second for each rule, at most", wholeNumber(1, 100_000), 10)
    .option("--log-burst <number>", "log lines beyond that at once", wholeNumber(1, 100_000), 5);
}

export function nodeOptionsOf(flags: NodeFlags): NodeOptions {
  const { node, unknownPods, deny, connectionMask: mask, logGroup, logRate, logBurst } = flags;
  return {
    node,
    connectionMask: mask,
    deny,
    unknownPods,
    localRanges: flags.nodePodCidr ?? [],
    shadow: flags.shadow ?? false,
    ...(logGroup === undefined ? {} : { log: { group: logGroup, perSecond: logRate, burst: logBurst } }),
  };
}

function connectionMask(text: string): number {
  const mask = /^0x[\da-f]{1,8}$/i.test(text) ? Number(text) : 0;
  const bits = mask.toString(2).replace(/0+$/, "");
  if (bits.length < 8 || bits.includes("0"))
    throw new InvalidArgumentError(
      `\`${text}\` is not a mask of eight or more bits side by side, such as 0xffff0000`,
    );
  return mask;
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`\`${text}\` is not a number from ${least} to ${most}`);
  };
}
