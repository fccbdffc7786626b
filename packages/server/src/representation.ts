import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** How a body may be compressed, the better first. */
export type Encoding = "br" | "gzip";

/** Less than a packet is not worth compressing. */
const shortestCompressed = 1400;

/** A response body, perhaps for many requests: compressed when it is first requested so. */
export class Representation {
  private readonly compressed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    private readonly traits: {
      readonly type: string;
      /** Distinguishes it from earlier and later contents of the same URL; absent: it is not to be kept. */
      readonly version?: string;
      readonly cache: "no-store" | "no-cache" | "public, max-age=31536000, immutable";
      /** From 0 to 11: more is smaller and takes longer. */
      readonly effort: number;
    },
  ) {}

  /** Compresses it for most browsers, before the first request. */
  prepare(): void {
    if (this.bytes.length >= shortestCompressed) void this.compress("br").catch(() => undefined);
  }

  async answer(request: Request): Promise<Response> {
    const { type, version, cache } = this.traits;
    const headers = new Headers({ "Content-Type": type, "Cache-Control": cache, Vary: "Accept-Encoding" });
    if (version !== undefined) {
      // Weak: the content is the same in every encoding.
      const tag = `W/"${version}"`;
      headers.set("ETag", tag);
      const known = request.headers.get("If-None-Match")?.split(",") ?? [];
      if (known.some((one) => one.trim() === tag || one.trim() === "*"))
        return new Response(null, { status: 304, headers });
    }
    const encoding = this.bytes.length < shortestCompressed ? undefined : encodingFor(request);
    const body = encoding === undefined ? this.bytes : await this.compress(encoding);
    if (encoding !== undefined) headers.set("Content-Encoding", encoding);
    headers.set("Content-Length", `${body.length}`);
    return new Response(request.method === "HEAD" ? null : body, { headers });
  }

  private async compress(encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
    const compressed =
      this.compressed.get(encoding) ?? compressedBy[encoding](this.bytes, this.traits.effort);
    this.compressed.set(encoding, compressed);
    return compressed;
  }
}

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

const compressedBy: Record<
  Encoding,
  (bytes: Uint8Array, effort: number) => Promise<Uint8Array<ArrayBuffer>>
> = {
  br: async (bytes, effort) =>
    new Uint8Array(
      await brotliAsync(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: effort,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      }),
    ),
  gzip: async (bytes, effort) => new Uint8Array(await gzipAsync(bytes, { level: Math.min(9, effort) })),
};

/** The best encoding that the client accepts; `;q=0` means that it does not. */
export function encodingFor(request: Request): Encoding | undefined {
  const accepted = (request.headers.get("Accept-Encoding") ?? "").split(",").flatMap((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name];
  });
  return (["br", "gzip"] as const).find((encoding) => accepted.includes(encoding));
}
