import { Buffer } from "node:buffer";
import { isObject, type Json, type JsonObject } from "@tierwall/core";
import type { Connection } from "../../connection.js";
import { jsonRequest, refusalIn } from "../../controller/json-request.js";

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** Whether the configuration of the webhook tells API servers to trust these authorities, and tells them so if it does not. */
export async function ensureTrusted(
  connection: Connection,
  configuration: string,
  bundle: string,
  signal: AbortSignal,
): Promise<"trusted" | "no configuration"> {
  const path = `${configurations}/${configuration}`;
  const found = await jsonRequest(connection, { path, signal });
  if (found.status === 404) return "no configuration";
  if (found.status !== 200) throw new Error(refusalIn(found));
  const wanted = Buffer.from(bundle).toString("base64");
  const webhooks = webhooksIn(found.body);
  if (webhooks.every(({ clientConfig }) => isObject(clientConfig) && clientConfig.caBundle === wanted))
    return "trusted";
  const body = {
    // Whoever changed it meanwhile is not overwritten; the next look finds what is left to do.
    metadata: { resourceVersion: versionOf(found.body) },
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: {
        ...(isObject(webhook.clientConfig) ? webhook.clientConfig : {}),
        caBundle: wanted,
      },
    })),
  };
  const patched = await jsonRequest(connection, { method: "PATCH", path, body, as: "merge", signal });
  if (patched.status >= 300 && patched.status !== 409) throw new Error(refusalIn(patched));
  if (patched.status === 409) return ensureTrusted(connection, configuration, bundle, signal);
  return "trusted";
}

const webhooksIn = ({ webhooks }: JsonObject): readonly JsonObject[] =>
  Array.isArray(webhooks) ? (webhooks as Json[]).filter(isObject) : [];

const versionOf = ({ metadata }: JsonObject): Json =>
  isObject(metadata) ? (metadata.resourceVersion ?? null) : null;
