import type { PlainFile } from "../host/read-plain-file.ts";
import { blockBytes } from "./stored-memory.ts";

/** Reads a file in blocks from a position. Only the last one may be shorter. Reads no further than the caller asks. */
export async function* readBlocks(file: PlainFile, start = 0): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.chunks(start)) {
    for (let rest = chunk; rest.length > 0;) {
      const part = rest.subarray(0, blockBytes - length);
      pending.push(part);
      length += part.length;
      rest = rest.subarray(part.length);
      if (length < blockBytes) continue;
      yield Buffer.concat(pending);
      [pending, length] = [[], 0];
    }
  }
  if (length > 0) yield Buffer.concat(pending);
}
