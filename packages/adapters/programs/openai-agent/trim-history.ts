import type { Message } from "./history.ts";

/**
 * The newest part of a history that fits into so many characters. A call is never parted from its results, for the API
 * refuses either without the other; and what the user said last is always there, since everything after it answers it.
 */
export function trimHistory(messages: readonly Message[], limit: number): Message[] {
  const pieces = inPieces(messages);
  const task = pieces.findLastIndex(([first]) => first?.role === "user");
  const needed = new Set([task, pieces.length - 1]);
  let room = limit - pieces.reduce((sum, piece, at) => sum + (needed.has(at) ? lengthOf(piece) : 0), 0);

  let from = pieces.length - 1;
  while (from > 0) {
    const previous = from - 1;
    const length = needed.has(previous) ? 0 : lengthOf(pieces[previous] ?? []);
    if (length > room) break;
    room -= length;
    from = previous;
  }
  // An older exchange is of use only from its question on.
  while (from < task && pieces[from]?.[0]?.role !== "user") from += 1;
  const kept = pieces.slice(from);
  return (from > task ? [...(pieces[task] ?? []), ...kept.flat()] : kept.flat()).filter(Boolean);
}

/** Cuts a history where it may be cut: a message that calls tools is one piece with all that they returned. */
function inPieces(messages: readonly Message[]): Message[][] {
  const pieces: Message[][] = [];
  for (const message of messages) {
    const last = pieces.at(-1);
    if (message.role === "tool" && last) last.push(message);
    else pieces.push([message]);
  }
  return pieces;
}

function lengthOf(piece: readonly Message[]): number {
  return JSON.stringify(piece).length;
}
