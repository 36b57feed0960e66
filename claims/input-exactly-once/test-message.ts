import { createHash } from "node:crypto";
import type { Note } from "@fairlead/contract";
import type { KeeperRequest } from "@fairlead/keeper";

const size = 200_000;
const filler = 'A line with "quotes", \\ and ßüß — ends here.\n';

/** The nth message: long, unique, and with every character that needs escaping. */
export function createTestMessage(number: number): { readonly text: string; readonly hash: string } {
  const beginning = `Message ${number}. `;
  const text = (beginning + filler.repeat(Math.ceil(size / filler.length))).slice(0, size);
  return { text, hash: createHash("sha256").update(text).digest("hex") };
}

/** The request that puts a message into the spool. */
export function createMessageRequest(number: number, id: string): KeeperRequest {
  const note: Note = {
    type: "command",
    command: { type: "send", turn: `turn-${id}`, text: createTestMessage(number).text },
  };
  return { do: "note", id, text: JSON.stringify(note) };
}
