import { Buffer } from "node:buffer";
import { isObject, type Json, type JsonObject } from "@tierwall/core/manifest";
import type { Connection } from "../../cluster/connection.js";
import { jsonRequest, refusalIn } from "../../cluster/json-request.js";
import { objectsAt, valueAt } from "../../cluster/object-fields.js";

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** What API servers have to know to ask the webhook. */
interface Introduction {
  /** Authorities that its certificate is signed by, in PEM. */
  readonly bundle: string;
  /** With the secret part by which the webhook knows API servers. */
  readonly path: string;
}

type Trust =
  | { readonly isConfigured: false }
  | {
      readonly isConfigured: true;
      /** An API server puts the path into the message of a request that it refuses because the webhook did not answer. */
      readonly showsPath: boolean;
    };

/** Writes what API servers have to know to the configuration of the webhook, unless it is there. */
export async function ensureTrusted(
  connection: Connection,
  configuration: string,
  introduction: Introduction,
  signal: AbortSignal,
): Promise<Trust> {
  const path = `${configurations}/${configuration}`;
  const found = await jsonRequest(connection, { path, signal });
  if (found.status === 404) return { isConfigured: false };
  if (found.status !== 200) throw new Error(refusalIn(found));
  const webhooks = objectsAt(found.body, "webhooks");
  const trusted = {
    isConfigured: true,
    showsPath: webhooks.some(({ failurePolicy }) => failurePolicy !== "Ignore"),
  } as const;
  const wanted = webhooks.map(({ clientConfig }) =>
    introduced(isObject(clientConfig) ? clientConfig : {}, introduction),
  );
  if (webhooks.every(({ clientConfig }, i) => isSame(clientConfig, wanted[i]!))) return trusted;
  const body = {
    // Whoever changed it meanwhile is not overwritten; the next look finds what is left to do.
    metadata: { resourceVersion: valueAt(found.body, "metadata", "resourceVersion") ?? null },
    webhooks: webhooks.map((webhook, i) => ({ ...webhook, clientConfig: wanted[i]! })),
  };
  const patched = await jsonRequest(connection, { method: "PATCH", path, body, as: "merge", signal });
  if (patched.status >= 300 && patched.status !== 409) throw new Error(refusalIn(patched));
  if (patched.status === 409) return ensureTrusted(connection, configuration, introduction, signal);
  return trusted;
}

/** Reaches the webhook by a Service or by a URL. */
function introduced(config: JsonObject, { bundle, path }: Introduction): JsonObject {
  const { service, url } = config;
  return {
    ...config,
    caBundle: Buffer.from(bundle).toString("base64"),
    ...(isObject(service) ? { service: { ...service, path } } : {}),
    ...(typeof url === "string" ? { url: withPath(url, path) } : {}),
  };
}

function withPath(url: string, path: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.pathname = path;
  return parsed.href;
}

/** Only what is written here can differ, so the order of keys is the same. */
const isSame = (a: Json | undefined, b: JsonObject): boolean => JSON.stringify(a) === JSON.stringify(b);
