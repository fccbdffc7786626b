/** Globals of browsers and Node that are not part of the language. */
declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Strings that together are the decoded bytes: a character may begin in one chunk and end in another. */
export function* decodedChunks(chunks: Iterable<Uint8Array>): Iterable<string> {
  let begun: Uint8Array = new Uint8Array();
  for (const chunk of chunks) {
    const bytes = begun.length === 0 ? chunk : joined(begun, chunk);
    const end = characterEnd(bytes);
    yield decodeUtf8(bytes.subarray(0, end));
    begun = new Uint8Array(bytes.subarray(end));
  }
  if (begun.length > 0) yield decodeUtf8(begun);
}

/** Where the last character begins if it continues after these bytes, else where they end. */
function characterEnd(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return byte >= firstOfLength[length]! ? bytes.length - length : bytes.length;
  }
  return bytes.length;
}

/** What the first byte of a character is at least, if the character has more bytes than this. */
const firstOfLength = [0, 0xc0, 0xe0, 0xf0];

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
