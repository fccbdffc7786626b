import { pipeline, Readable } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { encodingFor } from "../representation.js";
import { quickEffort } from "./operation.js";

/** JSON that may be longer than a string can be: it is written while it is read. */
export function jsonLines(request: Request, lines: Iterable<string>): Response {
  const headers = new Headers({
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    Vary: "Accept-Encoding",
  });
  if (request.method === "HEAD") return new Response(null, { headers });
  const text = Readable.from(inPieces(lines), { objectMode: false });
  const encoding = encodingFor(request);
  if (encoding === undefined) return new Response(asBody(text), { headers });
  headers.set("Content-Encoding", encoding);
  const packer =
    encoding === "br"
      ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: quickEffort } })
      : createGzip();
  // A client that stops reading ends both streams; that is not an error.
  pipeline(text, packer, () => undefined);
  return new Response(asBody(packer), { headers });
}

const asBody = (stream: Readable): ReadableStream<Uint8Array> =>
  Readable.toWeb(stream) as ReadableStream<Uint8Array>;

const pieceLength = 64 * 1024;

/** Many short chunks cost more than joining them. */
function* inPieces(lines: Iterable<string>): Iterable<Buffer> {
  let piece = "";
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < pieceLength) continue;
    yield Buffer.from(piece);
    piece = "";
  }
  yield Buffer.from(piece);
}
