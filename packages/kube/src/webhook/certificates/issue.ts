import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { parseAddress } from "@tierwall/core/model";
import { bits, field, integer, octets, oid, sequence, set, time, utf8, yes } from "./der.js";

/** A certificate to serve with, and the one that clients trust it by; all in PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

export interface IssueOptions {
  /** DNS names and addresses. */
  readonly names: readonly string[];
  readonly from: Date;
  readonly until: Date;
  /** What the certificate is for; `server`, if it is absent. */
  readonly use?: "server" | "client";
}

/** RFC 5280, 4.2.1.12 */
const uses = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;

/**
 * An authority that signs one certificate and is never used again: its key is not kept, so it cannot be stolen. ECDSA on
 * P-256, as the API server speaks it in every version.
 */
export function issue({ names, from, until, use = "server" }: IssueOptions): Issued {
  const [authority, serving] = [keyPair(), keyPair()];
  // Two authorities may be trusted at once: their names distinguish them.
  const issuer = nameOf(`Tierwall webhook ${randomBytes(6).toString("hex")}`);
  const common = { issuer, from, until, signer: authority.privateKey };
  const ca = certificateOf({
    ...common,
    subject: issuer,
    publicKey: authority.publicKey,
    extensions: [
      critical("2.5.29.19", sequence(yes(), integer(Buffer.of(0)))),
      // Signing certificates.
      critical("2.5.29.15", bits(Buffer.of(0b0000_0100), 2)),
      extension("2.5.29.14", octets(keyId(authority.publicKey))),
    ],
  });
  const certificate = certificateOf({
    ...common,
    subject: nameOf("tierwall-webhook"),
    publicKey: serving.publicKey,
    extensions: [
      critical("2.5.29.19", sequence()),
      // Digital signatures.
      critical("2.5.29.15", bits(Buffer.of(0b1000_0000), 7)),
      extension("2.5.29.37", sequence(oid(uses[use]))),
      extension("2.5.29.35", sequence(field(0, keyId(authority.publicKey), "plain"))),
      extension("2.5.29.17", sequence(...names.map(alternativeName))),
    ],
  });
  const key = serving.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  return { certificate: pem(certificate), key, authority: pem(ca) };
}

const keyPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

interface Contents {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly from: Date;
  readonly until: Date;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** RFC 5280, 4.1 */
function certificateOf({ issuer, subject, from, until, publicKey, signer, extensions }: Contents): Buffer {
  const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
  const version3 = field(0, integer(Buffer.of(2)), "outer");
  const signed = sequence(
    version3,
    integer(randomBytes(16)),
    algorithm,
    issuer,
    sequence(time(from), time(until)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    field(3, sequence(...extensions), "outer"),
  );
  return sequence(signed, algorithm, bits(sign("sha256", signed, signer)));
}

const nameOf = (commonName: string): Buffer => sequence(set(sequence(oid("2.5.4.3"), utf8(commonName))));

const extension = (id: string, contents: Buffer): Buffer => sequence(oid(id), octets(contents));
const critical = (id: string, contents: Buffer): Buffer => sequence(oid(id), yes(), octets(contents));

function alternativeName(name: string): Buffer {
  const address = parseAddress(name);
  if (address === undefined) return field(2, Buffer.from(name, "ascii"), "plain");
  const digits = address.family === 4 ? 8 : 32;
  return field(7, Buffer.from(address.value.toString(16).padStart(digits, "0"), "hex"), "plain");
}

const keyId = (key: KeyObject): Buffer =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest()
    .subarray(0, 20);

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
