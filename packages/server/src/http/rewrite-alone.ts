import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { holdAlone } from "./hold-alone.ts";

/** How long another process is waited for that writes just now, in milliseconds. */
const patience = 5000;

/**
 * Gives a file of its owner's another text, made of what it has now: nobody else writes between the reading and the
 * writing, so nothing is lost when two do so at once; and whoever reads finds one text or the other.
 */
export function rewriteAlone(file: string, compose: () => string): void {
  using _alone = holdAlone(`${file}.lock`, patience);
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    // `wx` follows no link that somebody may have laid there.
    writeFileSync(draft, compose(), { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
