import type { Paint } from "./paint.ts";
import { revealed } from "./plain.ts";

/** A patch as people read it; what is in the files can do nothing to the terminal, and what would hide there is spelt. */
export function patchLines(patch: string, paint: Paint): string[] {
  if (patch === "") return [];
  return patch
    .trimEnd()
    .split("\n")
    .map((line) => painted(revealed(line.replace(/\r$/, "")), paint));
}

function painted(line: string, paint: Paint): string {
  if (/^(diff|index|---|\+\+\+|new file|deleted file|similarity|rename) ?/.test(line)) return paint("bold", line);
  if (line.startsWith("@@")) return paint("cyan", line);
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}
