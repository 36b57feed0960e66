/** Longer than any honest frame: 16 MiB of text, with room for JSON's escapes. */
const maxLine = 64 * 1024 * 1024;

/** The lines of a stream, without their ends. An unfinished last line is dropped: its sender died over it. */
export async function* readLines(stream: AsyncIterable<Buffer>, limit = maxLine): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      pieces.push(chunk.subarray(start, end));
      yield Buffer.concat(pieces).toString("utf8");
      pieces = [];
      length = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    length += rest.length;
    if (length > limit) throw new RangeError(`A line may have ${limit} bytes.`);
    if (rest.length > 0) pieces.push(rest);
  }
}
