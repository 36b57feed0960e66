import { readPicture, type StyledText } from "./read-picture.ts";
import { rowText } from "./screen.ts";

/** Replaces what differs from run to run: ids, times, versions, process ids, the number of the workspace, column widths. */
export function maskVaryingText(screen: string): string {
  return screen
    .replaceAll(/\b[0-9a-hj-km-np-tv-z]{12}\b/g, "ID")
    .replaceAll(/(fairlead (?:resume|logs|attach)) [0-9a-hj-km-np-tv-z]{4}\b/g, "$1 ID")
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min|h|d)\b( \d+ (s|min)\b)?/g, "TIME")
    .replaceAll(/(?:\$|\busd: )\d+(?:\.\d+)?/g, "MONEY")
    .replaceAll(/\b\d+\.\d+\.\d+\b/g, "VERSION")
    .replaceAll(/\bprocess \d+/g, "process PID")
    .replaceAll(/\S+\/hello(-\d+)?(?=\s|$)/g, "WORKSPACE")
    .replaceAll(/\S+\/hello(-\d+)?\/\S+/g, "PATH")
    .replaceAll(/(\S) {2,}/g, "$1  ");
}

/** The screens of a picture as text with its colors and weights, without what differs from run to run. */
export function describePicture(svg: string): string {
  return readPicture(svg)
    .styledScreens.map((rows) => rows.map(describeRow).join("\n").trimEnd())
    .join("\n---\n");
}

/** The text of a row. If some of it is not plain, also each of its texts with its style. */
function describeRow(row: readonly StyledText[]): string {
  const text = maskVaryingText(rowText(row));
  if (row.every(({ style }) => style === "")) return text;
  return text + row.map((run) => ` {${run.style || "plain"}: ${maskVaryingText(run.text)}}`).join("");
}

/** Paints all text of a picture that is not plain in red: a change that a comparison must detect. */
export function paintRed(svg: string): string {
  return svg.replaceAll(/(lengthAdjust="spacingAndGlyphs" class=)"[^"]*"/g, '$1"red"');
}

/**
 * Lists the rows of a picture that are neither the beginning of a row that a step shows, such as a line that is being
 * typed, nor in the transcript of a new recording, such as a row that soon moves off the screen.
 */
export function findForeignRows(svg: string, transcript: readonly string[]): string[] {
  const { screens, rows } = readPicture(svg);
  const stepRows = screens.flatMap((screen) => screen.split("\n"));
  const recordedRows = new Set(transcript.map(maskVaryingText));
  return rows.filter(
    (row) => !stepRows.some((whole) => whole.startsWith(row)) && !recordedRows.has(maskVaryingText(row)),
  );
}

/** Returns the command lines that a picture shows, without the prompt. */
export function listCommandLines(svg: string): string[] {
  const lines = readPicture(svg).screens.flatMap((screen) => [...screen.matchAll(/^\$ (fairlead .+)$/gm)]);
  return [...new Set(lines.map((match) => match[1] ?? ""))];
}
