import type { JsonObject } from "@tierwall/core/manifest";
import { type ApiReader, type Failed, failed } from "./api-reader.js";
import { objectsAt, textAt } from "./object-fields.js";

/** The resources that an API server serves. */
export interface Served {
  /** In the order in which the server prefers them; none: the resource is not served. */
  versionsOf(resource: { readonly group: string; readonly plural: string }): readonly string[];
}

export type Discovered = { readonly served: Served } | Failed;

/** Everything in one answer where the server can do that (since 1.26), otherwise the list of groups. */
const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/**
 * Asks an API server what it serves, once for all callers. As long as nothing changes, the server answers a
 * repeated request without a body.
 */
export class Discovery {
  /** The latest answer of the server. */
  latest: Discovered | undefined;
  private known: { readonly tag: string; readonly served: Served } | undefined;
  private asked: { readonly at: number; readonly answer: Promise<Discovered> } | undefined;

  constructor(
    private readonly reader: ApiReader,
    /** The groups whose resources are of interest. */
    private readonly groups: ReadonlySet<string>,
  ) {}

  /** An answer of the server that is at most this old; milliseconds. */
  async served(age = 0): Promise<Discovered> {
    const now = performance.now();
    if (this.asked === undefined || now - this.asked.at > age) this.asked = { at: now, answer: this.ask() };
    return this.asked.answer;
  }

  private async ask(): Promise<Discovered> {
    this.latest = await this.answer();
    return this.latest;
  }

  private async answer(): Promise<Discovered> {
    const { known } = this;
    const answer = await this.reader.read("/apis", {
      accept: aggregated,
      ...(known === undefined ? {} : { "if-none-match": known.tag }),
    });
    if ("trouble" in answer) return answer;
    const { body, tag } = answer;
    if (body === undefined && known !== undefined) return { served: known.served };
    const served = await this.servedIn(body ?? {});
    if (served === undefined) return failed("the answer to `/apis` is not a list of API groups");
    this.known = tag === "" ? undefined : { tag, served };
    return { served };
  }

  private async servedIn(answer: JsonObject): Promise<Served | undefined> {
    const { groups: wanted } = this;
    if (answer.kind === "APIGroupDiscoveryList" && Array.isArray(answer.items)) {
      const groups = objectsAt(answer, "items").map(
        (group) => [textAt(group, "metadata", "name"), objectsAt(group, "versions").map(versionIn)] as const,
      );
      return servedBy(new Map(groups.filter(([name]) => wanted.has(name))));
    }
    if (answer.kind !== "APIGroupList" || !Array.isArray(answer.groups)) return undefined;
    const known = objectsAt(answer, "groups").filter((group) => wanted.has(textAt(group, "name")));
    const versions = await Promise.all(
      known.map(async (group) => {
        const name = textAt(group, "name");
        const each = textsAt(group, "versions", "version").map(async (version) => ({
          version,
          resources: await this.resourcesOf(name, version),
        }));
        return [name, await Promise.all(each)] as const;
      }),
    );
    return servedBy(new Map(versions));
  }

  /** Undefined: the server does not answer. */
  private async resourcesOf(group: string, version: string): Promise<readonly string[] | undefined> {
    const answer = await this.reader.read(`/apis/${group}/${version}`);
    if (!("trouble" in answer)) return textsAt(answer.body, "resources", "name");
    return answer.trouble.kind === "missing" ? [] : undefined;
  }
}

interface VersionServed {
  readonly version: string;
  /** Undefined: not known, so it may be any. */
  readonly resources: readonly string[] | undefined;
}

const servedBy = (groups: ReadonlyMap<string, readonly VersionServed[]>): Served => ({
  versionsOf: ({ group, plural }) =>
    (groups.get(group) ?? [])
      .filter(({ resources }) => resources === undefined || resources.includes(plural))
      .map(({ version }) => version),
});

/** The server behind an aggregated API may not answer: what it serves is not known then. */
const versionIn = (version: JsonObject): VersionServed => ({
  version: textAt(version, "version"),
  resources: version.freshness === "Stale" ? undefined : textsAt(version, "resources", "resource"),
});

const textsAt = (value: unknown, list: string, field: string): readonly string[] =>
  objectsAt(value, list).map((one) => textAt(one, field));
