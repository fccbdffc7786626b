import type { PolicyRef } from "@tierwall/core/model";
import type { Connection } from "../cluster/connection.js";
import { reportedKindOf, resourceOf } from "../cluster/kinds.js";
import { jsonRequest } from "../cluster/json-request.js";
import { objectsAt, textAt } from "../cluster/object-fields.js";

type Kind = Pick<PolicyRef, "group" | "kind" | "version">;

/** Milliseconds after which a definition is read again: it may store another version by then. */
const longestAge = 10_000;

/** The version in which the objects of a kind are stored, according to its definition. */
export class StorageVersions {
  private readonly found = new Map<string, { readonly at: number; readonly version: string | undefined }>();

  constructor(private readonly connection: Connection) {}

  /** The version to write an object in: the stored one, or the one it was read in if the stored one is not known (S3.10). */
  async versionFor(policy: Kind, signal: AbortSignal): Promise<string> {
    const name = definitionOf(policy);
    const now = performance.now();
    let known = this.found.get(name);
    if (known === undefined || now - known.at > longestAge) {
      known = { at: now, version: await this.ask(name, signal) };
      this.found.set(name, known);
    }
    const { version = "" } = known;
    return reportedKindOf(policy).versions.includes(version) ? version : policy.version;
  }

  /** The server does not serve what was found. */
  forget(policy: Kind): void {
    this.found.delete(definitionOf(policy));
  }

  /** Undefined where the definition may not be read, or does not serve the version that it stores. */
  private async ask(name: string, signal: AbortSignal): Promise<string | undefined> {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    const { status, body } = await jsonRequest(this.connection, { method: "GET", path, signal });
    if (status !== 200) return undefined;
    const stored = objectsAt(body, "spec", "versions").find(
      ({ storage, served }) => storage === true && served === true,
    );
    return textAt(stored, "name") || undefined;
  }
}

const definitionOf = (policy: Kind): string => resourceOf(reportedKindOf(policy));
