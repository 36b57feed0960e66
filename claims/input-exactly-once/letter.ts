import { createHash } from "node:crypto";
import type { Note } from "@fairlead/contract";
import type { Frame } from "@fairlead/keeper";

const size = 200_000;
const filler = 'A line with "quotes", \\ and ßüß — ends here.\n';

/** The nth message of the proof: long, with everything in it that could be escaped, and unlike any other. */
export function letter(number: number): { readonly text: string; readonly hash: string } {
  const beginning = `Message ${number}. `;
  const text = (beginning + filler.repeat(Math.ceil(size / filler.length))).slice(0, size);
  return { text, hash: createHash("sha256").update(text).digest("hex") };
}

/** The frame by which a runtime puts a message into the spool. */
export function letterFrame(number: number, id: string): Frame {
  const note: Note = { type: "wish", wish: { type: "send", turn: `turn-${id}`, text: letter(number).text } };
  return { do: "note", id, text: JSON.stringify(note) };
}
