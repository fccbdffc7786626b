import { Buffer } from "node:buffer";
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { JsonObject } from "@tierwall/core/manifest";
import { textAt } from "../../cluster/object-fields.js";
import type { Issued } from "./issue.js";
import type { Certificates } from "./schedule.js";

/* The format of certificates in the Secret that all replicas share. */

const keys = { certificate: "tls.crt", key: "tls.key", authority: "ca.crt" } as const;
const before = "previous-";

export function dataOf({ latest, previous }: Certificates): JsonObject {
  const entries = (issued: Issued, prefix: string) =>
    (Object.keys(keys) as (keyof typeof keys)[]).map((part) => [
      `${prefix}${keys[part]}`,
      Buffer.from(issued[part]).toString("base64"),
    ]);
  return Object.fromEntries([
    ...entries(latest, ""),
    ...(previous === undefined ? [] : entries(previous, before)),
  ]) as JsonObject;
}

/** Undefined where the Secret holds something else, or nothing. */
export function certificatesIn(secret: JsonObject | undefined): Certificates | undefined {
  const latest = issuedIn(secret, "");
  if (latest === undefined) return undefined;
  const previous = issuedIn(secret, before);
  return { latest, ...(previous === undefined ? {} : { previous }) };
}

function issuedIn(secret: JsonObject | undefined, prefix: string): Issued | undefined {
  const textOf = (part: keyof typeof keys) =>
    Buffer.from(textAt(secret, "data", `${prefix}${keys[part]}`), "base64").toString("utf8");
  const issued = { certificate: textOf("certificate"), key: textOf("key"), authority: textOf("authority") };
  return isReadable(issued) ? issued : undefined;
}

/** Anything may have been put there. */
function isReadable({ certificate, key, authority }: Issued): boolean {
  try {
    return (
      new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)) &&
      new X509Certificate(certificate).checkIssued(new X509Certificate(authority))
    );
  } catch {
    return false;
  }
}
