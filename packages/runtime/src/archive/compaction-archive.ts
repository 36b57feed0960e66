import { createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { exportMarkdown, type Event } from "@fairlead/contract";

export interface CompactionArchiveOptions {
  /** Where the files of this session are. Its parent exists. */
  readonly folder: string;
  /** Reads the session's events from the first one on. */
  readonly readEvents: () => AsyncIterable<Event>;
}

/** Other sessions of this process get their turn after this many events. */
const eventsAtOnce = 100;

/**
 * Writes a readable copy of a session when its agent is about to compact its context, or has done so without an
 * announcement. Each file has the events since the one before, so that all of them together are not larger than one export.
 * The journal has everything, so a copy that fails costs nothing: the next one contains its events too.
 */
export class CompactionArchive implements AsyncDisposable {
  readonly #options: CompactionArchiveOptions;
  readonly #closing = new AbortController();
  /** Whether the compaction that comes next was announced, and its copy is written. */
  #isAnnounced = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CompactionArchiveOptions) {
    this.#options = options;
  }

  /** Handles a new event. Does not wait for the copy that it makes due. */
  notice({ body, sequence }: Event): void {
    // An announced compaction may fail. The next turn may announce another one.
    if (body.type === "turn.started") this.#isAnnounced = false;
    const isAnnouncement = body.type === "status.reported" && body.announces === "compaction";
    if (!isAnnouncement && body.type !== "context.compacted") return;
    if (!this.#isAnnounced) this.#writing = this.#writing.then(() => this.#tryWrite(sequence));
    this.#isAnnounced = isAnnouncement;
  }

  /** Resolves when the copies that are due are written, or have failed. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Ends a copy that is being written. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  /** Writes a copy. A session never fails because of it. */
  async #tryWrite(upTo: number): Promise<void> {
    const { folder } = this.#options;
    const file = join(folder, archiveFileName(upTo));
    const unfinished = `${file}.new`;
    try {
      this.#closing.signal.throwIfAborted();
      // Not with its parents: the session may have been forgotten.
      await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
      const after = Math.max(0, ...(await readdir(folder)).map(readArchivedSequence));
      if (after >= upTo) return;
      const { signal } = this.#closing;
      const stream = createWriteStream(unfinished, { mode: 0o600 });
      await pipeline(
        exportMarkdown(() => this.#read(), { after, upTo }),
        stream,
        { signal },
      );
      await rename(unfinished, file);
    } catch {
      await rm(unfinished, { force: true }).catch(() => {});
    }
  }

  async *#read(): AsyncGenerator<Event> {
    let count = 0;
    for await (const event of this.#options.readEvents()) {
      this.#closing.signal.throwIfAborted();
      yield event;
      if (++count % eventsAtOnce === 0) await yieldToOthers();
    }
  }
}

/** The name of the file with the events up to a sequence number. */
function archiveFileName(upTo: number): string {
  return `up-to-${upTo}.md`;
}

function readArchivedSequence(file: string): number {
  return Number(/^up-to-(\d+)\.md$/.exec(file)?.[1] ?? 0);
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
