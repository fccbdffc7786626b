import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createSecureContext, type PeerCertificate, type TlsOptions, TLSSocket } from "node:tls";
import { messageOf } from "../cluster/connection.js";
import type { Refusal } from "../http/refusal.js";

/** Which clients the webhook answers: API servers that show a certificate. */
export interface ClientOptions {
  /** A PEM file with the authorities that sign their certificates. */
  readonly authorityFile: string;
  /** Common names or DNS names of the certificates that are expected; an authority may sign many others. */
  readonly names: readonly string[];
}

/** Milliseconds. */
const lookEvery = 60_000;

/** Checks the certificates of clients, against a file that may be replaced while the webhook runs. */
export class ClientAuthority {
  private authorities: string;
  private timer: NodeJS.Timeout | undefined;

  /** Throws where the file cannot be used. */
  constructor(
    private readonly options: ClientOptions,
    private readonly onTrouble: (message: string) => void,
    private readonly every = lookEvery,
  ) {
    if (options.names.length === 0)
      throw new Error(
        "an authority signs many certificates: --webhook-client-name names those that are expected",
      );
    this.authorities = readAuthorities(options.authorityFile);
  }

  tlsOptions(): TlsOptions {
    return { ca: this.authorities, requestCert: true, rejectUnauthorized: true };
  }

  /** Calls back when the file has other authorities. */
  follow(onChange: () => void): void {
    this.timer = setInterval(() => {
      try {
        const authorities = readAuthorities(this.options.authorityFile);
        if (authorities === this.authorities) return;
        this.authorities = authorities;
        onChange();
      } catch (cause) {
        // Those that were read last stay in force.
        this.onTrouble(messageOf(cause));
      }
    }, this.every);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Undefined for a client that is expected. */
  refusalOf(socket: Socket): Refusal | undefined {
    if (!(socket instanceof TLSSocket) || !socket.authorized)
      return { status: 401, message: "the client has no trusted certificate" };
    const names = namesIn(socket.getPeerCertificate());
    if (names.some((name) => this.options.names.includes(name))) return undefined;
    return { status: 403, message: "the certificate of the client does not have an expected name" };
  }
}

function namesIn({ subject, subjectaltname = "" }: PeerCertificate): readonly string[] {
  const alternatives = subjectaltname
    .split(", ")
    .flatMap((text) => (text.startsWith("DNS:") ? [text.slice(4)] : []));
  const { CN: common } = (subject ?? {}) as { readonly CN?: string | readonly string[] };
  return [...(common === undefined ? [] : [common].flat()), ...alternatives];
}

function readAuthorities(file: string): string {
  const text = readFileSync(file, "utf8");
  if (!text.includes("-----BEGIN CERTIFICATE-----"))
    throw new Error(`\`${file}\` contains no certificate in PEM`);
  createSecureContext({ ca: text });
  return text;
}
