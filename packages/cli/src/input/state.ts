import { Cluster, type Diagnostic, type EnforcerName, enforcerNames, hasErrors } from "@tierwall/core";
import { didYouMean, foreignGroups, affectsAnswers } from "@tierwall/core/manifest";
import { type Address, type Cidr, type Facts, parseAddress, parseCidr } from "@tierwall/core/model";
import { diagnosticsText, type SourceText, summaryText } from "@tierwall/core/report";
import { readEdited, readState, type State, type StateOptions } from "@tierwall/core/state";
import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { type CiliumFlags, ciliumOptions, withCiliumFlags } from "./cilium-flags.js";
import { readDnsRecords } from "./dns.js";
import { type LiveFlags, readLive } from "./live.js";
import { type ManifestFile, type Read, readPaths } from "@tierwall/kube";
import { size } from "./quantity.js";
import { Progress } from "../output/progress.js";
import { styleFor, printMessage, printToStderr } from "../output/terminal.js";

/** Options of every command that looks at a cluster. */
export interface StateFlags extends LiveFlags, CiliumFlags {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly maxInput?: number;
  readonly live?: boolean;
  readonly podCidr?: readonly Cidr[];
  readonly serviceCidr?: readonly Cidr[];
  readonly kubeApiserver?: readonly Address[];
  readonly dns?: string;
  readonly enforcer?: EnforcerName;
  readonly ignoreApi?: readonly string[];
  readonly input?: "auto" | "file" | "cluster";
  readonly keepGoing?: boolean;
  readonly verbose?: boolean;
}

export function withStateFlags(command: Command): Command {
  const named = command
    .option("-f, --filename <path>", "a file, a folder, or - for standard input (repeatable)", collect)
    .option("-R, --recursive", "read subfolders as well")
    .addOption(maxInputOption())
    .option("--context <name>", "without -f: the context of the cluster to read (default: the current one)")
    .option(
      "--kubeconfig <file>",
      "the file with that context (default: as for kubectl, or from inside a pod)",
    )
    .option("--live", "read the cluster as well as -f; objects in files replace those of the cluster");
  return withFactFlags(named)
    .option("-v, --verbose", "show notes, and every rule that was considered")
    .hook("preAction", (_, used) => {
      const unused = ["context", "kubeconfig"].find((name) => used.getOptionValueSource(name) === "cli");
      if (unused !== undefined && used.name() !== "preview" && !isLive(used.opts<StateFlags>()))
        printMessage(
          `--${unused} has no effect with -f, which names files; --live reads the cluster as well`,
        );
    });
}

/** For commands that answer questions about connections. */
export const withAnswerFlags = (command: Command): Command =>
  withStateFlags(command).addOption(enforcerOption());

/** How much is read at most: files can be packed a thousand times smaller than they are. */
export const maxInputOption = (): Option =>
  new Option(
    "--max-input <size>",
    "refuse files that are larger than this in total, uncompressed (default: 1Gi)",
  ).argParser(size);

/** Options for facts that no manifest contains, and for how manifests are read. */
export function withFactFlags(command: Command): Command {
  const facts = command
    .option(
      "--pod-cidr <cidr>",
      "the range that pods get their addresses from (repeatable)",
      collectWith(cidr),
    )
    .option("--service-cidr <cidr>", "the range of Service addresses (repeatable)", collectWith(cidr))
    .option("--kube-apiserver <address>", "an address of the API server (repeatable)", collectWith(address))
    .option("--dns <file>", "what domain names resolve to, as YAML: {example.com: [192.0.2.1]}");
  return withCiliumFlags(facts)
    .option(
      "--ignore-api <group>",
      "ignore the objects of a policy API that is not evaluated, such as crd.projectcalico.org (repeatable)",
      collectWith(foreignGroup),
    )
    .addOption(
      new Option(
        "--input <origin>",
        "whether unknown fields are mistakes (file) or a newer API (cluster); auto looks for a uid",
      ).choices(["auto", "file", "cluster"]),
    )
    .option("--keep-going", "skip objects with errors instead of stopping");
}

/** S9.8: for commands that answer questions. Others are about policies as docs/semantics.md reads them (S9.7). */
export const enforcerOption = (): Option =>
  new Option("--enforcer <name>", "answer as this implementation would, where it differs").choices(
    enforcerNames,
  );

/** Facts that no object of a running cluster contains. */
export function withLiveFactFlags(command: Command): Command {
  const facts = command
    .option(
      "--pod-cidr <cidr>",
      "the range that all pods get their addresses from (repeatable)",
      collectWith(cidr),
    )
    .option("--kube-apiserver <address>", "an address of the API server (repeatable)", collectWith(address));
  return withCiliumFlags(facts);
}

/** For options that may be given several times. */
export const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
];

export function collectWith<T>(parse: (text: string) => T, separator: string | RegExp = ",") {
  return (value: string, previous: readonly T[] | undefined): readonly T[] => [
    ...(previous ?? []),
    ...value.split(separator).map((part) => parse(part.trim())),
  ];
}

export function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined)
    throw new InvalidArgumentError(`\`${text}\` is not a CIDR, such as 10.244.0.0/16 or fd00:10::/56`);
  return parsed;
}

export function foreignGroup(text: string): string {
  if (foreignGroups.includes(text)) return text;
  const known = foreignGroups.join(", ");
  throw new InvalidArgumentError(
    `\`${text}\` is not a policy API that Tierwall recognises${didYouMean(text, foreignGroups)}; these are ${known}`,
  );
}

export function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new InvalidArgumentError(`\`${text}\` is not an IP address`);
  return parsed;
}

/** The options that change what a state means, with what had to be read for them. */
export function stateOptions(flags: StateFlags): {
  readonly options: StateOptions;
  readonly diagnostics: readonly Diagnostic[];
} {
  const dns = flags.dns === undefined ? undefined : readDnsRecords(flags.dns);
  const facts: Partial<Facts> = {
    podCidrs: flags.podCidr ?? [],
    serviceCidrs: flags.serviceCidr ?? [],
    ...(flags.kubeApiserver === undefined ? {} : { apiServer: flags.kubeApiserver }),
    ...(dns === undefined ? {} : { dns: dns.records }),
  };
  return {
    options: {
      facts,
      ...(flags.enforcer === undefined ? {} : { enforcer: flags.enforcer }),
      ...(flags.ignoreApi === undefined ? {} : { ignoreApis: flags.ignoreApi }),
      ...ciliumOptions(flags),
      ...(flags.input === undefined ? {} : { provenance: flags.input }),
      ...(flags.keepGoing ? { keepGoing: true } : {}),
    },
    diagnostics: dns?.diagnostics ?? [],
  };
}

export interface Loaded {
  readonly state: State;
  readonly sources: readonly ManifestFile[];
  /** Whether a cluster is among them. */
  readonly live: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads what the flags name. */
export async function loadState(flags: StateFlags): Promise<Loaded> {
  const { options, diagnostics: fromOptions } = stateOptions(flags);
  const progress = new Progress();
  const { base, over, live } = await readNamed(flags, progress);
  const reading = { ...options, progress: progress.objectsRead };
  const state =
    over.sources.length === 0
      ? readState(base.sources, reading)
      : readEdited(base.sources, { apply: over.sources, remove: [] }, reading).after;
  progress.end();
  return {
    state,
    live,
    sources: [...over.sources, ...base.sources],
    diagnostics: [...fromOptions, ...base.diagnostics, ...over.diagnostics, ...state.diagnostics],
  };
}

export interface Named {
  readonly base: Read;
  /** What replaces objects of the same kind and name. */
  readonly over: Read;
  readonly live: boolean;
}

/** The files that the flags name, or the cluster: alone where there are no files, or below them. */
export async function readNamed(flags: StateFlags, progress: Progress): Promise<Named> {
  const files = readPaths(flags.filename ?? [], flags.recursive ?? false, {
    bytesRead: progress.bytesRead,
    maxInput: flags.maxInput,
  });
  if (!isLive(flags)) return { base: files, over: nothing, live: false };
  return { base: await readLive(flags, progress), over: files, live: true };
}

export const isLive = ({ filename = [], live = false }: StateFlags): boolean => live || filename.length === 0;

const nothing: Read = { sources: [], diagnostics: [] };

/** Codes that say that there is nothing to evaluate: a path, or a cluster, cannot be read. */
const unreadCodes: ReadonlySet<string> = new Set(["TW1004", "TW1009", "TW1010", "TW1011"]);

export const isUnread = ({ code }: Diagnostic): boolean => unreadCodes.has(code);

/** Whether questions can be answered; if not, says on stderr why. */
export function isUsable(loaded: Loaded, verbose = false): boolean {
  if (new Cluster(loaded).usable) return true;
  const { sources, live, diagnostics } = loaded;
  const errors = diagnostics.filter((d) => d.severity === "error");
  printDiagnostics(errors, sources, verbose);
  // What cannot be read at all has no place in a file.
  const summary = errors.every(isUnread) ? "" : `${summaryText(errors, live ? undefined : sources.length)}. `;
  printMessage(`${summary}Nothing was evaluated.`);
  return false;
}

/** Hardly any cluster serves all kinds: without -v, this is not repeated with every answer. */
const usualOfClusters = "TW3006";

/** What was skipped may be all that the user meant: a kustomization, say. */
const skippedKinds = "TW3003";

/** After the answer: what it rests on in a line each, and how much more there is to say about the input. */
export function printRemarks({ sources, diagnostics }: Loaded, verbose: boolean): void {
  if (verbose) return printDiagnostics(diagnostics, sources, true);
  const relevant = diagnostics.filter(affectsAnswers);
  const others = diagnostics.filter((d) => !affectsAnswers(d) && d.code !== usualOfClusters);
  if (relevant.length + others.length > 0) printMessage("");
  for (const { code, severity, message, place, hint } of relevant.slice(0, 10)) {
    const where = place === undefined ? "" : ` (${place.file}:${place.line})`;
    printMessage(`${severity} ${code}  ${message}${where}`);
    if (code === skippedKinds && hint !== undefined) printMessage(`  ${hint}`);
  }
  const left = Math.max(0, relevant.length - 10) + others.length;
  if (left > 0)
    printMessage(
      `${left} ${relevant.length > 0 ? "more " : ""}${left === 1 ? "message" : "messages"} about the input: use -v, or run tierwall validate`,
    );
}

/** The message, the lines it is about, and what to do; those with one cause together. */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: readonly ManifestFile[],
  verbose = false,
): void {
  const options = { sourceText: sourceText(sources), style: styleFor(process.stderr), verbose };
  if (diagnostics.length === 0) return;
  printToStderr(`${diagnosticsText(diagnostics, options).join("\n\n")}${hasErrors(diagnostics) ? "\n" : ""}`);
}

/** The text of each source, or the lines of those that are too large to be held. */
export function sourceText(sources: readonly ManifestFile[]): SourceText {
  const texts = new Map(
    sources.map((source) => [source.file, "text" in source ? source.text : source.lines]),
  );
  return (file) => texts.get(file);
}
