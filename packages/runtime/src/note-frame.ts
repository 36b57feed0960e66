import type { Note } from "@fairlead/contract";
import type { Frame } from "@fairlead/keeper";

/** A note in the words of the keeper. */
export function noteFrame(note: Note, id: string): Frame {
  return { do: "note", id, text: JSON.stringify(note) };
}
