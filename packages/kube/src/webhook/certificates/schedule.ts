import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Issued, IssueOptions } from "./issue.js";

/** In milliseconds. */
export interface CertificateTimes {
  /** How long a certificate is valid; after two thirds of that time the next one is issued. */
  readonly life: number;
  /** How long API servers have to read a new authority before its certificate is served. */
  readonly lead: number;
  /** How often it is looked whether something is to be done. */
  readonly check: number;
}

const [second, day] = [1000, 86_400_000];
export const usualCertificateTimes: CertificateTimes = {
  life: 90 * day,
  lead: 600 * second,
  check: 10 * second,
};

/** The one that was issued last, and the one before it as long as it may still be in use. */
export interface Certificates {
  readonly latest: Issued;
  readonly previous?: Issued;
}

/** Certificates are good a while before they are issued: the clocks of API servers may be behind. */
const early = 3_600_000;

export const validityFrom = (now: number, { life }: CertificateTimes): Omit<IssueOptions, "names"> => ({
  from: new Date(now - early),
  until: new Date(now + life),
});

const issuedAt = (issued: Issued): number => timeOf(issued, "validFrom") + early;

function timeOf({ certificate }: Issued, when: "validFrom" | "validTo"): number {
  return new Date(new X509Certificate(certificate)[when]).getTime();
}

export const expiryOf = (issued: Issued): number => timeOf(issued, "validTo");

/** Whether it can still be served under these names. */
export function isGood(issued: Issued, names: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(issued.certificate);
  const isFor = (name: string) =>
    (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
  return now < expiryOf(issued) && names.every(isFor);
}

export function isDue(issued: Issued, now: number): boolean {
  const from = issuedAt(issued);
  return now >= from + ((expiryOf(issued) - from) * 2) / 3;
}

/** Which one to serve: the latest, unless API servers did not have time to trust it yet. */
export function servedOf(
  { latest, previous }: Certificates,
  now: number,
  { lead }: CertificateTimes,
): Issued {
  const isKnown = now >= issuedAt(latest) + lead;
  return previous === undefined || isKnown || now >= expiryOf(previous) ? latest : previous;
}

/** All that clients are to trust: replicas may serve either certificate for a while. */
export function bundleOf({ latest, previous }: Certificates, now: number): string {
  const isTrusted = previous !== undefined && now < expiryOf(previous);
  return `${latest.authority}${isTrusted ? previous.authority : ""}`;
}
