import type { HistoryMessage } from "./history-message.ts";

/**
 * Returns the newest part of a history that fits into `limit` characters. Keeps each call together with its results,
 * because the API refuses one without the other. Always keeps the last user message, because everything after it answers
 * it.
 */
export function trimHistory(messages: readonly HistoryMessage[], limit: number): HistoryMessage[] {
  const pieces = splitIntoPieces(messages);
  const lastUserPiece = pieces.findLastIndex(([first]) => first?.role === "user");
  const needed = new Set([lastUserPiece, pieces.length - 1]);
  let remaining = limit - pieces.reduce((sum, piece, index) => sum + (needed.has(index) ? measureLength(piece) : 0), 0);

  let start = pieces.length - 1;
  while (start > 0) {
    const previous = start - 1;
    const length = needed.has(previous) ? 0 : measureLength(pieces[previous] ?? []);
    if (length > remaining) break;
    remaining -= length;
    start = previous;
  }
  // An older exchange is useful only from its user message on.
  while (start < lastUserPiece && pieces[start]?.[0]?.role !== "user") start += 1;
  const newest = pieces.slice(start).flat();
  return (start > lastUserPiece ? [...(pieces[lastUserPiece] ?? []), ...newest] : newest).filter(Boolean);
}

/** Splits a history into pieces that must stay whole: a message with tool calls and their results are one piece. */
function splitIntoPieces(messages: readonly HistoryMessage[]): HistoryMessage[][] {
  const pieces: HistoryMessage[][] = [];
  for (const message of messages) {
    const last = pieces.at(-1);
    if (message.role === "tool" && last) last.push(message);
    else pieces.push([message]);
  }
  return pieces;
}

function measureLength(piece: readonly HistoryMessage[]): number {
  return JSON.stringify(piece).length;
}
