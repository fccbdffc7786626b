import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Issued } from "./certificates/issue.js";
import { webhookPath } from "./configuration.js";

/*
 * API servers show no certificate unless they are configured to, which many administrators cannot do. What every API server does is send
 * requests to the path that the ValidatingWebhookConfiguration names: a secret part of it distinguishes API servers from other clients. It is
 * derived from the key of a certificate, so that all replicas know it and it changes with the certificate.
 */

export const pathTokenOf = ({ key }: Issued): string =>
  createHmac("sha256", key).update("tierwall webhook path").digest("base64url");

export const pathWith = (token: string): string => `${webhookPath}/${token}`;

/** Takes as long for any path: how far it is right cannot be measured. */
export function isTokenPath(path: string, tokens: readonly string[]): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const given = digest(path);
  return tokens.filter((token) => timingSafeEqual(digest(pathWith(token)), given)).length > 0;
}
