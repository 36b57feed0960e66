import { Note, upcastNote, type Adapter, type Event, type Opening, type SpoolRecord } from "@fairlead/contract";
import type { ObjectStore } from "@fairlead/engine";
import type { EventLog } from "@fairlead/journal";
import { decodeRecord } from "@fairlead/keeper";
import { LogReplay, type LogEntry, type SessionState } from "@fairlead/reducer";
import { decodeEvents } from "../actor/stored-events.ts";
import { readImage, type SessionImage } from "./session-image.ts";

/** A session as its log and its image have it. */
export interface LoadedSession {
  readonly opening: Opening;
  readonly state: SessionState;
  /** The last spool record that the log names. */
  readonly lastSeq: number;
  /** The ids of commands with their records, so that one that is repeated is recognized. */
  readonly commandIds: readonly (readonly [id: string, seq: number])[];
  readonly image: SessionImage | null;
  /** Whether a turn has ended that the image does not include. */
  readonly hasNewerTurn: boolean;
  /** Whether the agent may remember a turn: one has ended, and not only because its host was lost. */
  readonly hasRememberedTurn: boolean;
}

/** The id of the record with which a session begins on its next host. */
export const movedNoteId = (seq: number): string => `moved-${seq}`;

/** How many events back the ids of commands are read. A caller that repeats a command does so soon after the first attempt. */
const commandWindow = 20_000;

/**
 * Reads what the log has of a session that another host drove. Returns null for a session without an opening: its start was
 * not begun. The cost depends on what came after the last turn, and not on the length of the history.
 */
export async function loadMovedSession(
  session: string,
  { log, objects, findAdapter }: LoadOptions,
): Promise<LoadedSession | null> {
  const { epoch, last } = await log.tail(session);
  const image = await readImage(objects, session, epoch);
  const opening = image?.state.opening ?? (await readOpening(log, session));
  if (opening === null) return null;
  const replay = new LogReplay(findAdapter(opening.agent), image);
  const commandIds: [string, number][] = [];
  const after = Math.min(image?.lastSequence ?? 0, Math.max(0, last - commandWindow));
  const notes = readNotes(log, session, after);
  const events = decodeEvents(log.read(session, image?.lastSequence ?? 0));
  let hasNewerTurn = false;
  let hasRememberedTurn = image?.state.remembersTurn ?? image !== null;
  let movedAt = 0;
  for await (const entry of mergeBySequence(notes, events)) {
    if ("note" in entry && entry.note.id !== "") commandIds.push([entry.note.id, entry.note.seq]);
    if ("note" in entry && entry.note.id === movedNoteId(entry.note.seq)) movedAt = entry.note.seq;
    if ("event" in entry && entry.event.body.type === "turn.ended") {
      hasNewerTurn = true;
      // What the agent knew of a turn that a move closed was lost with its host.
      if (entry.event.spool !== movedAt) hasRememberedTurn = true;
    }
    replay.add(entry);
  }
  const state = replay.finish();
  return state && { opening, state, lastSeq: replay.lastSeq, commandIds, image, hasNewerTurn, hasRememberedTurn };
}

export interface LoadOptions {
  readonly log: Pick<EventLog, "notes" | "read" | "tail">;
  readonly objects: Pick<ObjectStore, "get" | "list">;
  readonly findAdapter: (agent: string) => Adapter;
}

async function readOpening(log: LoadOptions["log"], session: string): Promise<Opening | null> {
  for await (const { bytes } of readNotes(log, session, 0)) {
    const note = Note.safeParse(upcastNote(JSON.parse(Buffer.from(bytes).toString("utf8")))).data;
    if (note?.type === "opening") return note.opening;
  }
  return null;
}

/** Reads the records of notes. After a crash of their writer the newest may be stored twice. */
async function* readNotes(log: LoadOptions["log"], session: string, after: number): AsyncGenerator<SpoolRecord> {
  let last = 0;
  for await (const bytes of log.notes(session, after)) {
    const record = decodeRecord(bytes);
    if (record === null || record.seq <= last) continue;
    last = record.seq;
    yield record;
  }
}

/** Merges notes and events by their records. A note comes before the events that follow from it. */
async function* mergeBySequence(
  notes: AsyncGenerator<SpoolRecord>,
  events: AsyncGenerator<Event>,
): AsyncGenerator<LogEntry> {
  let note = await notes.next();
  for await (const event of events) {
    for (; note.done !== true && note.value.seq <= event.spool; note = await notes.next()) yield { note: note.value };
    yield { event };
  }
  for (; note.done !== true; note = await notes.next()) yield { note: note.value };
}
