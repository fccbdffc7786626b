import type { Diagnostic, TextSource } from "@tierwall/core";
import { diagnostic, isObject, type JsonObject } from "@tierwall/core/manifest";
import { type Counterexample, counterexampleState } from "./counterexample-state.js";
import type { GivenState } from "./held-state.js";

/** Where the worker gets a state from: the server, local files, or both. */
export interface StateSource {
  /** The address that serves it; without it there are only the files. */
  readonly server?: string;
  /** A file replaces one of the server with the same name. */
  readonly files: readonly TextSource[];
  /** Only the policies, with the endpoints of a counterexample. */
  readonly counterexample?: Counterexample;
}

export async function givenState({ counterexample, ...source }: StateSource): Promise<GivenState> {
  const given = await inputState(source);
  return counterexample === undefined ? given : counterexampleState(given, counterexample);
}

async function inputState({ server, files }: StateSource): Promise<GivenState> {
  const count = files.length === 1 ? files[0]!.file : `${files.length} files`;
  const dropped = hashOf(files);
  if (server === undefined)
    return { title: count, revision: "files", sources: files, provenance: "file", dropped };
  const given = await fetchState(server);
  if (files.length === 0) return given;
  const names = new Set(files.map(({ file }) => file));
  const sources = [...given.sources.filter(({ file }) => !names.has(file)), ...files];
  return { ...given, title: `${given.title} + ${count}`, sources, dropped };
}

/** FNV-1a: enough to see that files are others than before. */
function hashOf(files: readonly TextSource[]): string {
  let hash = 0x811c9dc5;
  for (const { file, text } of files)
    for (const part of [file, "\0", text, "\0"])
      for (let i = 0; i < part.length; i++) hash = Math.imul(hash ^ part.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}

const unreadCodes = ["TW1004", "TW1010", "TW1011"] as const;

const readUnread = ({ code, message }: JsonObject): Diagnostic =>
  diagnostic(
    unreadCodes.find((known) => known === code) ?? "TW1004",
    typeof message === "string" ? message : "a file cannot be read",
  );

async function fetchState(server: string): Promise<GivenState> {
  const response = await fetch(server).catch(() => undefined);
  if (response === undefined)
    throw new Error("the server does not answer; is `tierwall serve` still running?");
  if (!response.ok) throw new Error(`the server answers with ${response.status} ${response.statusText}`);
  const given = readGivenState((await response.json()) as unknown);
  if (given === undefined)
    throw new Error("the server speaks another version of Tierwall; load the page again");
  return given;
}

function readGivenState(value: unknown): GivenState | undefined {
  if (!isObject(value) || value["version"] !== 1) return undefined;
  const { title, revision, sources, provenance, options, unread } = value;
  if (typeof title !== "string" || typeof revision !== "string" || !Array.isArray(sources)) return undefined;
  const texts = sources.flatMap((source: unknown) =>
    isObject(source) && typeof source["file"] === "string" && typeof source["text"] === "string"
      ? { file: source["file"], text: source["text"] }
      : [],
  );
  if (texts.length < sources.length) return undefined;
  return {
    title,
    revision,
    sources: texts,
    provenance: provenance === "cluster" ? "cluster" : "file",
    // `readOptions` throws where they are not as the server of this version writes them.
    ...(isObject(options) ? { options } : {}),
    ...(Array.isArray(unread) ? { unread: unread.filter(isObject).map(readUnread) } : {}),
  };
}
