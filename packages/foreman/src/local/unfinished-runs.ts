import type { Journal, LogTail } from "@fairlead/journal";
import { KeyedMutex } from "@fairlead/runtime";
import { readWorkflowRecords } from "./run-records.ts";
import { appendToSharedLog } from "./shared-log.ts";

const logName = "unfinished";

/** The minimum number of records between two full lists. */
const minRecords = 100;

interface SetChange {
  readonly change: "add" | "remove";
  readonly run: string;
}

/** Changes of the set, or the whole set. A record of changes names the sequence of the last full list before it. */
type SetRecord =
  | { readonly changes: readonly SetChange[]; readonly list: number }
  | { readonly unfinished: readonly string[] };

/**
 * The runs that have not ended, in a log of their own: a process that opens the file finds them without reading the logs of
 * runs that ended long ago. From time to time a record has the whole set, so that a reader starts there.
 */
export class UnfinishedRuns {
  readonly #log: Journal;
  readonly #owner: string;
  readonly #mutex = new KeyedMutex();
  readonly #queue: SetChange[] = [];
  readonly #runs = new Set<string>();
  /** The sequence up to which `#runs` is known. */
  #last = 0;
  /** The sequence of the last full list; 0 if there is none. */
  #list = 0;

  constructor(log: Journal, owner: string) {
    this.#log = log;
    this.#owner = owner;
  }

  async read(): Promise<readonly string[]> {
    await this.#mutex.run("", async () => await this.#catchUp(await this.#log.tail(logName)));
    return [...this.#runs];
  }

  async add(run: string): Promise<void> {
    await this.#write({ change: "add", run });
  }

  async remove(run: string): Promise<void> {
    await this.#write({ change: "remove", run });
  }

  /** Removes a run whose last owner died after the end and before the removal. */
  async removeIfListed(run: string): Promise<void> {
    await this.#mutex.run("", async () => await this.#catchUp(await this.#log.tail(logName)));
    if (this.#runs.has(run)) await this.remove(run);
  }

  /** Changes that come while one is written are written together: many runs that end at once wait for one commit. */
  async #write(change: SetChange): Promise<void> {
    this.#queue.push(change);
    await this.#mutex.run("", async () => {
      const changes = this.#queue.splice(0);
      if (changes.length === 0) return;
      try {
        await this.#append(changes);
      } catch (error) {
        // The callers whose changes were taken along find them in the queue and try again.
        this.#queue.unshift(...changes);
        throw error;
      }
    });
  }

  async #append(changes: readonly SetChange[]): Promise<void> {
    let record: SetRecord | undefined;
    const { last } = await appendToSharedLog(this.#log, logName, this.#owner, async (tail) => {
      await this.#catchUp(tail);
      // At least as many records as the list has runs: so the cost of a change does not depend on how many there are.
      const isListDue = tail.last + 1 - this.#list >= Math.max(minRecords, this.#runs.size);
      record = isListDue ? { unfinished: listAfter(this.#runs, changes) } : { changes, list: this.#list };
      return record;
    });
    if (record !== undefined) this.#fold(record, last);
  }

  async #catchUp({ last }: LogTail): Promise<void> {
    if (last <= this.#last) return;
    if (this.#last === 0) this.#last = (await this.#findStart(last)) - 1;
    for (const record of await readWorkflowRecords(this.#log, logName, this.#last)) {
      this.#fold(record as SetRecord, this.#last + 1);
    }
  }

  /** Finds the record where a reader starts: the last full list, or the first record. */
  async #findStart(last: number): Promise<number> {
    const [newest] = (await readWorkflowRecords(this.#log, logName, last - 1)) as SetRecord[];
    if (newest === undefined) return 1;
    return "unfinished" in newest ? last : Math.max(1, newest.list);
  }

  #fold(record: SetRecord, sequence: number): void {
    this.#last = sequence;
    if (!("unfinished" in record)) return applyChanges(this.#runs, record.changes);
    this.#list = sequence;
    this.#runs.clear();
    for (const run of record.unfinished) this.#runs.add(run);
  }
}

function listAfter(runs: ReadonlySet<string>, changes: readonly SetChange[]): string[] {
  const after = new Set(runs);
  applyChanges(after, changes);
  return [...after];
}

function applyChanges(runs: Set<string>, changes: readonly SetChange[]): void {
  for (const { change, run } of changes) {
    if (change === "add") runs.add(run);
    else runs.delete(run);
  }
}
