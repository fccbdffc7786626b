import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@tierwall/core/manifest";
import type { Unseen } from "@tierwall/core/state";
import { type Connection, messageOf } from "./connection.js";
import { type Discovered, Discovery } from "./discovery.js";
import { allKinds } from "./foreign-kinds.js";
import { pathOf, resourceOf, type WatchedKind } from "./kinds.js";
import { listPages, bodyText } from "./list-pages.js";
import { listServed } from "./list-served.js";
import { textAt } from "./object-fields.js";
import { type Trouble, troubleOf } from "./trouble.js";

/** What a cluster holds, read once. */
export interface ClusterListing extends Unseen {
  /** In an order that does not tell when they came: by kind, namespace and name. */
  readonly objects: readonly JsonObject[];
}

export type Listed =
  | { readonly ok: true; readonly listing: ClusterListing }
  | { readonly ok: false; readonly message: string };

interface ListingOptions {
  readonly kinds?: readonly WatchedKind[];
  /** Told how many objects have come. */
  readonly objectsRead?: (objects: number) => void;
  readonly idleMilliseconds?: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** A server that is busy is asked so often, and waited for so long. */
const mostTries = 4;
const longestWaitSeconds = 5;

/**
 * Lists every kind once, and what may not be listed in the whole cluster in the namespace of the context: so developers can
 * ask about their own. What may not be read, or is not served, is named; anything else that goes wrong ends it.
 */
export async function listCluster(connection: Connection, options: ListingOptions = {}): Promise<Listed> {
  const { kinds = allKinds, objectsRead, idleMilliseconds = 15_000 } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  // Every kind listens to it at once, which is no leak.
  setMaxListeners(kinds.length + 2, signal);
  let count = 0;
  let failure: string | undefined;
  const optional = kinds.filter(({ isBuiltIn }) => !isBuiltIn);
  const groups = new Set(optional.map(({ group }) => group));
  const discovery = new Discovery(connection, { groups, idleMilliseconds, signal });
  const discovered = optional.length === 0 ? undefined : discovery.served();
  const get = async (path: string) => connection.send({ path, idleMilliseconds, signal });
  const list = async (kind: WatchedKind) => {
    const asked = { get, discovered: kind.isBuiltIn ? undefined : await discovered };
    const result = await listAllowed(kind, connection.namespace, asked, () => objectsRead?.(++count));
    if ("trouble" in result && isFatal(result.trouble, kind)) {
      failure ??= fatalMessage(result.trouble, kind);
      // Where one kind cannot be had, the others need not be waited for.
      ending.abort();
    }
    return { kind, ...result };
  };
  const results = await Promise.all(kinds.map(list));
  if (failure !== undefined) return { ok: false, message: failure };
  const troubles = results.flatMap((one) => ("trouble" in one ? [one] : []));
  const own = troubles.filter(({ kind }) => kind.isForeign !== true);
  const named = (wanted: Trouble["kind"]) =>
    own.filter(({ trouble }) => trouble.kind === wanted).map(({ kind }) => resourceOf(kind));
  const forbidden = named("forbidden");
  const ownKinds = kinds.filter(({ isForeign }) => isForeign !== true);
  if (forbidden.length > 0 && forbidden.length + named("missing").length === ownKinds.length)
    return {
      ok: false,
      message: own.find(({ trouble }) => trouble.kind === "forbidden")!.trouble.message,
    };
  const objects = results.flatMap((one) => ("objects" in one ? one.objects.toSorted(byName) : []));
  const { namespace } = connection;
  const resources = results.flatMap((one) => ("isPart" in one ? [resourceOf(one.kind)] : []));
  const onlyIn =
    namespace === undefined || resources.length === 0 ? {} : { onlyIn: { namespace, resources } };
  const foreign = troubles.filter(({ kind }) => kind.isForeign === true);
  return {
    ok: true,
    listing: {
      objects,
      ...withForeign({ forbidden, missing: named("missing"), ...onlyIn }, foreign, await discovered),
    },
  };
}

/** Also names policies of other projects that may be there and could not be read, for whatever reason. */
export function withForeign(
  unseen: Unseen,
  troubles: readonly { readonly kind: WatchedKind; readonly trouble: Trouble }[],
  discovered: Discovered | undefined,
): Unseen {
  if (troubles.length > 0 && discovered !== undefined && "trouble" in discovered)
    return { ...unseen, undiscovered: discovered.trouble.message };
  const unread = troubles.filter(({ trouble }) => trouble.kind !== "missing");
  return { ...unseen, forbidden: [...unseen.forbidden, ...unread.map(({ kind }) => resourceOf(kind))] };
}

/** How a kind is asked for. */
interface Asked {
  readonly get: Parameters<typeof listPages>[0];
  readonly discovered: Discovered | undefined;
}

/** All of a kind, or what there is of it in a namespace where that is all that may be seen. */
async function listAllowed(
  kind: WatchedKind,
  namespace: string | undefined,
  asked: Asked,
  objectRead: () => void,
): Promise<KindListing & { readonly isPart?: true }> {
  const all = await listKind(kind, asked, objectRead);
  const isForbidden = "trouble" in all && all.trouble.kind === "forbidden";
  if (!isForbidden || namespace === undefined) return all;
  const some = kind.isNamespaced
    ? await listKind({ ...kind, namespace }, asked, objectRead)
    : kind.kind === "Namespace"
      ? await getNamespace(kind, namespace, asked.get, objectRead).catch(() => all)
      : all;
  return "objects" in some ? { ...some, isPart: true } : all;
}

/** Who may see one namespace may get it, though not list it. */
async function getNamespace(
  kind: WatchedKind,
  name: string,
  get: Parameters<typeof listPages>[0],
  objectRead: () => void,
): Promise<KindListing> {
  const response = await get(`${pathOf(kind, kind.versions[0]!)}/${encodeURIComponent(name)}`);
  if (response.statusCode !== 200) return { trouble: await troubleOf(response) };
  const object = JSON.parse(await bodyText(response)) as JsonObject;
  objectRead();
  return { objects: [kind.keep(object)] };
}

/** A foreign API whose server does not answer is named, and takes no other answer with it. */
const isFatal = ({ kind }: Trouble, { isBuiltIn, isForeign = false }: WatchedKind): boolean =>
  !isForeign && (kind === "failed" || kind === "expired" || (kind === "missing" && isBuiltIn));

function fatalMessage({ kind, message }: Trouble, of: WatchedKind): string {
  if (kind !== "missing") return message;
  return `it does not know ${resourceOf(of)}; that is no API server of Kubernetes`;
}

type KindListing = { readonly objects: readonly JsonObject[] } | { readonly trouble: Trouble };

async function listKind(kind: WatchedKind, asked: Asked, objectRead: () => void): Promise<KindListing> {
  let trouble: Trouble = { kind: "failed", message: "nothing was asked" };
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await listServed(kind, asked.discovered, async (version) =>
      listVersion(kind, version, asked.get, objectRead),
    );
    if ("listed" in found) return found.listed;
    trouble = found.trouble;
    const busy = trouble.kind === "failed" ? trouble.retryAfterSeconds : undefined;
    // A list that took so long that the server forgot its first page begins again.
    if (trouble.kind !== "expired" && (busy === undefined || busy > longestWaitSeconds)) break;
    await sleep((busy ?? 0) * 1000);
  }
  return { trouble };
}

async function listVersion(
  kind: WatchedKind,
  version: string,
  get: Asked["get"],
  objectRead: () => void,
): Promise<KindListing> {
  const objects: JsonObject[] = [];
  const take = (object: JsonObject) => {
    objects.push(kind.keep(object));
    objectRead();
  };
  try {
    const listed = await listPages(get, pathOf(kind, version), kind.kind, take);
    return "trouble" in listed ? listed : { objects };
  } catch (cause) {
    return { trouble: { kind: "failed", message: messageOf(cause) } };
  }
}

/** For the order within a kind. */
export function byName(a: JsonObject, b: JsonObject): number {
  const [x, y] = [nameOf(a), nameOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

const nameOf = (object: JsonObject): string =>
  `${textAt(object, "metadata", "namespace")}\0${textAt(object, "metadata", "name")}`;
