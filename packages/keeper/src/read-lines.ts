import { CutLines } from "./cut-lines.ts";

/** The lines of a stream. An unfinished last line is dropped: its sender died over it. */
export async function* readLines(stream: AsyncIterable<Buffer>, limit?: number): AsyncGenerator<string> {
  const lines = new CutLines(limit);
  for await (const chunk of stream) yield* lines.of(chunk);
}
