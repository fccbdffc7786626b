/** The complete lines of a stream. What stands behind the last line end was cut off, and is nobody's line. */
export async function* linesIn(stream: AsyncIterable<Buffer>): AsyncIterable<string> {
  let parts: Buffer[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
}

const lineEnd = 0x0a;
