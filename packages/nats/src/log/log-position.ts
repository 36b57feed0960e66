/** A place in one stream of the log. */
export interface StreamPosition {
  /** When the stream was created: a stream that was deleted and created again has other messages. */
  readonly created: string;
  /** The sequence of its last message. */
  readonly sequence: number;
}

/** Formats the places in all streams of a log as one text. */
export function formatPosition(streams: readonly StreamPosition[]): string {
  return JSON.stringify(streams.map(({ created, sequence }) => [created, sequence]));
}

/** Parses a text of `formatPosition`. Returns undefined for the position of another engine, which this log has not reached. */
export function parsePosition(position: string): StreamPosition[] | undefined {
  try {
    const streams: unknown = JSON.parse(position);
    if (!Array.isArray(streams)) return undefined;
    return streams.map((stream: unknown) => {
      if (!Array.isArray(stream)) throw new TypeError("not a stream's position");
      const [created, sequence] = stream as unknown[];
      return { created: String(created), sequence: Number(sequence) };
    });
  } catch {
    return undefined;
  }
}
