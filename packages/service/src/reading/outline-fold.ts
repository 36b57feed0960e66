import {
  addToOutline,
  emptyTurnOutline,
  type Event,
  type Rooms,
  type Sandbox,
  type TurnOutline,
} from "@fairlead/contract";
import type { TurnSummary } from "@fairlead/contract";
import { addChangedFile, sortChangedFiles, type ChangedFile } from "@fairlead/runtime";

/** Raise it when a fold of the same events gives another content. Kept content of other versions is not used. */
export const outlineVersion = 2;

/** The turns and changed files of a session, in their order. It changes when events are added. */
export interface SessionOutline {
  readonly turns: readonly TurnSummary[];
  /** The sequence of the newest event in it. */
  readonly last: number;
  /** The files that changed, sorted by path. */
  readonly files: readonly ChangedFile[];
  readonly sandbox: Sandbox | null;
}

/** A fold as plain JSON, from which it continues. */
export interface OutlineContent {
  readonly version: number;
  /** The id of the newest event. It shows whether the journal still is the one that was read. */
  readonly lastId: string;
  readonly outline: TurnOutline;
  readonly turns: readonly TurnSummary[];
  readonly files: readonly (readonly [path: string, file: ChangedFile])[];
  readonly rooms: Rooms;
  readonly sandbox: Sandbox | null;
}

/** The outline of one session, as far as its events were added. The cost of an event does not depend on their number. */
export class OutlineFold implements SessionOutline {
  readonly #turns: TurnSummary[];
  readonly #files: Map<string, ChangedFile>;
  #outline: TurnOutline;
  #lastId: string;
  #rooms: Rooms;
  #sandbox: Sandbox | null;

  constructor(content?: OutlineContent) {
    this.#turns = [...(content?.turns ?? [])];
    this.#files = new Map(content?.files);
    this.#outline = content?.outline ?? emptyTurnOutline;
    this.#lastId = content?.lastId ?? "";
    this.#rooms = content?.rooms ?? {};
    this.#sandbox = content?.sandbox ?? null;
  }

  get turns(): readonly TurnSummary[] {
    return this.#turns;
  }

  get last(): number {
    return this.#outline.last;
  }

  get lastId(): string {
    return this.#lastId;
  }

  get files(): readonly ChangedFile[] {
    return sortChangedFiles(this.#files.values());
  }

  get sandbox(): Sandbox | null {
    return this.#sandbox;
  }

  /** The number of its turns and files. */
  get size(): number {
    return this.#turns.length + this.#files.size;
  }

  get content(): OutlineContent {
    return {
      version: outlineVersion,
      lastId: this.#lastId,
      outline: this.#outline,
      turns: this.#turns,
      files: [...this.#files],
      rooms: this.#rooms,
      sandbox: this.#sandbox,
    };
  }

  /** Adds the event after the newest one. */
  add(event: Event): void {
    const { body } = event;
    if (body.type === "session.started") {
      this.#rooms = body.rooms ?? {};
      this.#sandbox = body.sandbox ?? null;
    }
    this.#outline = addToOutline(this.#outline, event);
    this.#lastId = event.id;
    const { turn, workspace } = this.#outline;
    if (turn !== null) this.#turns[turn.number - 1] = turn;
    addChangedFile(this.#files, event, workspace, this.#rooms);
  }
}
