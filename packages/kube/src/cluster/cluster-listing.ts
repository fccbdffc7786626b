import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@tierwall/core/manifest";
import type { Unseen } from "@tierwall/core/state";
import { ApiReader, type Failed, type Trouble } from "./api-reader.js";
import type { Connection } from "./connection.js";
import { type Discovered, Discovery } from "./discovery.js";
import { allKinds } from "./foreign-kinds.js";
import { pathOf, resourceOf, type WatchedKind } from "./kinds.js";
import { listKind } from "./list-kind.js";
import { textAt } from "./object-fields.js";

/** What a cluster holds, read once. */
export interface ClusterListing extends Unseen {
  /** Sorted by kind, namespace and name, whatever order they were read in. */
  readonly objects: readonly JsonObject[];
}

export type Listed =
  | { readonly ok: true; readonly listing: ClusterListing }
  | { readonly ok: false; readonly message: string };

interface ListingOptions {
  readonly kinds?: readonly WatchedKind[];
  /** Called with the number of objects that were read so far. */
  readonly objectsRead?: (objects: number) => void;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Requests to a busy server, and how long to wait for it. */
const mostTries = 4;
const longestWaitSeconds = 5;

/**
 * Lists every kind once, and what may not be listed in the whole cluster in the namespace of the context: so developers can
 * ask about their own. What may not be read, or is not served, is named; anything else that goes wrong ends it.
 */
export async function listCluster(connection: Connection, options: ListingOptions = {}): Promise<Listed> {
  const { kinds = allKinds, objectsRead } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  // Every kind listens to it at once, which is no leak.
  setMaxListeners(kinds.length + 2, signal);
  let count = 0;
  let failure: string | undefined;
  const reader = new ApiReader(connection, { idleMilliseconds: 15_000, signal });
  const optional = kinds.filter(({ isBuiltIn }) => !isBuiltIn);
  const discovery = new Discovery(reader, new Set(optional.map(({ group }) => group)));
  const discovered = optional.length === 0 ? undefined : discovery.served();
  const { namespace } = connection;
  const results = await Promise.all(
    kinds.map(async (kind): Promise<KindResult> => {
      const known = kind.isBuiltIn ? undefined : await discovered;
      const result = await listAllowed({ kind, namespace, reader, discovered: known }, () =>
        objectsRead?.(++count),
      );
      if ("trouble" in result && isFatal(result.trouble, kind)) {
        failure ??= fatalMessage(result.trouble, kind);
        // Where one kind cannot be had, the others need not be waited for.
        ending.abort();
      }
      return { kind, ...result };
    }),
  );
  if (failure !== undefined) return { ok: false, message: failure };
  const own = results.filter(({ kind }) => kind.isForeign !== true);
  const refusal = own.find(({ trouble }) => trouble?.kind === "forbidden")?.trouble;
  if (refusal !== undefined && own.every(({ trouble }) => trouble !== undefined))
    return { ok: false, message: refusal.message };
  const resources = results.filter(({ isPart }) => isPart).map(({ kind }) => resourceOf(kind));
  const onlyIn =
    namespace === undefined || resources.length === 0 ? {} : { onlyIn: { namespace, resources } };
  const objects = results.flatMap((one) => (one.objects ?? []).toSorted(byName));
  return { ok: true, listing: { objects, ...unseenOf(results, await discovered), ...onlyIn } };
}

interface KindResult {
  readonly kind: WatchedKind;
  readonly objects?: readonly JsonObject[];
  /** Only those of one namespace. */
  readonly isPart?: true;
  readonly trouble?: Trouble | undefined;
}

/**
 * What a cluster may hold and was not read, by the trouble there was with each kind. Policies of other projects that may be there are
 * named for whatever reason they could not be read.
 */
export function unseenOf(
  results: readonly Pick<KindResult, "kind" | "trouble">[],
  discovered: Discovered | undefined,
): Unseen {
  const troubled = results.filter(({ trouble }) => trouble !== undefined);
  const [own, foreign] = [false, true].map((wanted) =>
    troubled.filter(({ kind }) => (kind.isForeign === true) === wanted),
  );
  const named = (wanted: Trouble["kind"]) =>
    own!.filter(({ trouble }) => trouble!.kind === wanted).map(({ kind }) => resourceOf(kind));
  const [forbidden, missing] = [named("forbidden"), named("missing")];
  if (foreign!.length > 0 && discovered !== undefined && "trouble" in discovered)
    return { forbidden, missing, undiscovered: discovered.trouble.message };
  const unread = foreign!.filter(({ trouble }) => trouble!.kind !== "missing");
  return { forbidden: [...forbidden, ...unread.map(({ kind }) => resourceOf(kind))], missing };
}

/** How a kind is asked for. */
interface Asked {
  readonly kind: WatchedKind;
  readonly namespace: string | undefined;
  readonly reader: ApiReader;
  readonly discovered: Discovered | undefined;
}

type KindListing = { readonly objects: readonly JsonObject[] } | Failed;

/** All of a kind, or what there is of it in a namespace where that is all that may be seen. */
async function listAllowed(
  asked: Asked,
  objectRead: () => void,
): Promise<KindListing & { readonly isPart?: true }> {
  const { kind, namespace } = asked;
  const all = await listPatiently(asked, objectRead);
  const isForbidden = "trouble" in all && all.trouble.kind === "forbidden";
  if (!isForbidden || namespace === undefined) return all;
  const some = kind.isNamespaced
    ? await listPatiently({ ...asked, kind: { ...kind, namespace } }, objectRead)
    : kind.kind === "Namespace"
      ? await getNamespace(asked, namespace, objectRead)
      : all;
  return "objects" in some ? { ...some, isPart: true } : all;
}

/** A user who may see one namespace may get it, though not list it. */
async function getNamespace(
  { kind, reader }: Asked,
  name: string,
  objectRead: () => void,
): Promise<KindListing> {
  const answer = await reader.read(`${pathOf(kind, kind.versions[0]!)}/${encodeURIComponent(name)}`);
  if ("trouble" in answer) return answer;
  objectRead();
  return { objects: [kind.keep(answer.body!)] };
}

/** A foreign API whose server does not answer is named, and takes no other answer with it. */
const isFatal = ({ kind }: Trouble, { isBuiltIn, isForeign = false }: WatchedKind): boolean =>
  !isForeign && (kind === "failed" || kind === "expired" || (kind === "missing" && isBuiltIn));

function fatalMessage({ kind, message }: Trouble, of: WatchedKind): string {
  if (kind !== "missing") return message;
  return `it does not know ${resourceOf(of)}; that is no API server of Kubernetes`;
}

async function listPatiently(
  { kind, discovered, reader }: Asked,
  objectRead: () => void,
): Promise<KindListing> {
  for (let tries = 1; ; tries++) {
    let objects: JsonObject[] = [];
    const found = await listKind(kind, discovered, reader, {
      begin: () => (objects = []),
      take: (object) => {
        objects.push(kind.keep(object));
        objectRead();
      },
    });
    if (!("trouble" in found)) return { objects };
    const { trouble } = found;
    const busy = trouble.kind === "failed" ? trouble.retryAfterSeconds : undefined;
    // A list that took so long that the server forgot its first page begins again.
    const isWorthATry = trouble.kind === "expired" || (busy !== undefined && busy <= longestWaitSeconds);
    if (!isWorthATry || tries === mostTries) return found;
    await sleep((busy ?? 0) * 1000);
  }
}

/** For the order within a kind. */
export function byName(a: JsonObject, b: JsonObject): number {
  const [x, y] = [nameOf(a), nameOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

const nameOf = (object: JsonObject): string =>
  `${textAt(object, "metadata", "namespace")}\0${textAt(object, "metadata", "name")}`;
