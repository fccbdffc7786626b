import { Buffer } from "node:buffer";
import { isObject, type JsonObject } from "@tierwall/core/manifest";
import type { Connection } from "../../cluster/connection.js";
import { jsonRequest, refusalIn } from "../../cluster/json-request.js";
import { objectsAt, valueAt } from "../../cluster/object-fields.js";

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** What API servers need to call the webhook. */
interface Introduction {
  /** Authorities that its certificate is signed by, in PEM. */
  readonly bundle: string;
  /** With the secret part by which the webhook recognises API servers. */
  readonly path: string;
}

interface Trust {
  readonly isConfigured: boolean;
  /** An API server puts the path into the message of a request that it refuses because the webhook did not answer. */
  readonly showsPath: boolean;
}

/** Writes what API servers need to the configuration of the webhook, unless it is there. */
export async function ensureTrusted(
  connection: Connection,
  configuration: string,
  introduction: Introduction,
  signal: AbortSignal,
): Promise<Trust> {
  const path = `${configurations}/${configuration}`;
  const found = await jsonRequest(connection, { path, signal });
  // Until there is a configuration, nothing is known of what it will show.
  if (found.status === 404) return { isConfigured: false, showsPath: true };
  if (found.status !== 200) throw new Error(refusalIn(found));
  const webhooks = objectsAt(found.body, "webhooks");
  const wanted = webhooks.map((webhook) => introduced(webhook, introduction));
  // Only what is written here can differ, so the order of keys is the same.
  if (JSON.stringify(webhooks) !== JSON.stringify(wanted)) {
    const body = {
      // A change that was made meanwhile is not overwritten; the next look finds what is left to do.
      metadata: { resourceVersion: valueAt(found.body, "metadata", "resourceVersion") ?? null },
      webhooks: wanted,
    };
    const patched = await jsonRequest(connection, { method: "PATCH", path, body, as: "merge", signal });
    if (patched.status === 409) return ensureTrusted(connection, configuration, introduction, signal);
    if (patched.status >= 300) throw new Error(refusalIn(patched));
  }
  const showsPath = webhooks.some(({ failurePolicy }) => failurePolicy !== "Ignore");
  return { isConfigured: true, showsPath };
}

/** Reaches the webhook by a Service or by a URL. */
function introduced(webhook: JsonObject, { bundle, path }: Introduction): JsonObject {
  const config = isObject(webhook.clientConfig) ? webhook.clientConfig : {};
  const { service, url } = config;
  const clientConfig = {
    ...config,
    caBundle: Buffer.from(bundle).toString("base64"),
    ...(isObject(service) ? { service: { ...service, path } } : {}),
    ...(typeof url === "string" ? { url: withPath(url, path) } : {}),
  };
  return { ...webhook, clientConfig };
}

function withPath(url: string, path: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.pathname = path;
  return parsed.href;
}
