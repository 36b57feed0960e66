import type { TimelineRow } from "./timeline-row.ts";

const lineHeight = 20;
const lettersPerLine = 95;

/** Guesses the height of a row that was never shown, in pixels, so that the scroll bar hardly moves when it is. */
export function estimateRowHeight(row: TimelineRow | undefined): number {
  switch (row?.type) {
    case "text":
      return 12 + linesOf(row.text) * lineHeight;
    case "message":
      return 30 + linesOf(row.text.slice(0, 1200)) * lineHeight;
    case "tool":
      return row.state === "failed" || row.state === "unfinished"
        ? 28 + 10 + 18 * Math.min(4, linesOf(row.output))
        : 28;
    case "files":
      return 4 + 18 * Math.min(12, row.files.length);
    case "decision":
      return row.resolution === null ? 400 : 22;
    case "turn-end":
      return row.outcome === "completed" ? 8 : 28;
    default:
      return 28;
  }
}

function linesOf(text: string): number {
  const scanned = text.slice(0, 20_000);
  let lines = 1;
  for (let at = scanned.indexOf("\n"); at !== -1; at = scanned.indexOf("\n", at + 1)) lines += 1;
  return Math.max(lines, Math.ceil(scanned.length / lettersPerLine));
}
