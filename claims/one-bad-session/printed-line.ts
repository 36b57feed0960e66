/** A line of the ticking agent. */
export interface PrintedLine {
  /** In milliseconds since 1970. */
  readonly printedAt: number;
  /** From 1, without gaps. */
  readonly number: number;
}

export function parseLine(text: string): PrintedLine {
  const [seconds, number] = text.split(" ");
  return { printedAt: Number(seconds) * 1000, number: Number(number) };
}
