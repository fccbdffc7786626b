import { Buffer } from "node:buffer";
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { JsonObject } from "@tierwall/core/manifest";
import type { Connection } from "../../cluster/connection.js";
import { jsonRequest, refusalIn } from "../../cluster/json-request.js";
import type { Issued } from "./issue.js";
import type { Certificates } from "./schedule.js";
import { textAt } from "../../cluster/object-fields.js";

/** Certificates as a Secret holds them, and which version of it. */
interface StoredCertificates {
  /** Absent where the Secret holds something else, or nothing. */
  readonly certificates?: Certificates;
  /** Absent where there is no Secret. */
  readonly version?: string;
}

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** The Secret that all replicas share. */
export class CertificateSecret {
  constructor(
    private readonly connection: Connection,
    private readonly where: SecretName,
  ) {}

  async read(signal: AbortSignal): Promise<StoredCertificates> {
    const answer = await jsonRequest(this.connection, { path: this.path, signal });
    if (answer.status === 404) return {};
    if (answer.status !== 200) throw new Error(refusalIn(answer));
    const certificates = certificatesIn(answer.body);
    const version = textAt(answer.body, "metadata", "resourceVersion");
    return {
      ...(certificates === undefined ? {} : { certificates }),
      ...(version === "" ? {} : { version }),
    };
  }

  /** False where somebody else was faster: then his are the ones to use. */
  async write(
    certificates: Certificates,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { name, namespace } = this.where;
    const metadata = { name, namespace, ...(version === undefined ? {} : { resourceVersion: version }) };
    const body = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { ...metadata, labels: { "app.kubernetes.io/name": "tierwall" } },
      type: "kubernetes.io/tls",
      data: dataOf(certificates),
    };
    const answer =
      version === undefined
        ? await jsonRequest(this.connection, { method: "POST", path: this.collection, body, signal })
        : await jsonRequest(this.connection, { method: "PUT", path: this.path, body, signal });
    // Gone meanwhile, or changed, or made by another.
    if (answer.status === 409 || (answer.status === 404 && version !== undefined)) return false;
    if (answer.status >= 300) throw new Error(refusalIn(answer));
    return true;
  }

  private get collection(): string {
    return `/api/v1/namespaces/${this.where.namespace}/secrets`;
  }

  private get path(): string {
    return `${this.collection}/${this.where.name}`;
  }
}

const keys = { certificate: "tls.crt", key: "tls.key", authority: "ca.crt" } as const;
const before = "previous-";

function dataOf({ latest, previous }: Certificates): JsonObject {
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

function certificatesIn(secret: JsonObject): Certificates | undefined {
  const latest = issuedIn(secret, "");
  if (latest === undefined) return undefined;
  const previous = issuedIn(secret, before);
  return { latest, ...(previous === undefined ? {} : { previous }) };
}

function issuedIn(secret: JsonObject, prefix: string): Issued | undefined {
  const textOf = (part: keyof typeof keys) =>
    Buffer.from(textAt(secret, "data", `${prefix}${keys[part]}`), "base64").toString("utf8");
  const issued = { certificate: textOf("certificate"), key: textOf("key"), authority: textOf("authority") };
  return isReadable(issued) ? issued : undefined;
}

/** Somebody may have put anything there. */
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
