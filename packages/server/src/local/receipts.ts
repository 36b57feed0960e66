import { createHash } from "node:crypto";
import { chmodSync, closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { FairleadError, type ErrorCode } from "@fairlead/contract";

/** How long a key is remembered. */
const lifetime = 7 * 24 * 60 * 60 * 1000;
const longestKey = 200;

/** A command in full: whatever makes it another one. */
export type Command = readonly unknown[];

interface Receipt {
  readonly digest: string;
  /** Which session it was about, as it was understood the first time: a name may go over to another one. */
  readonly session: string;
  /** What came of it, as JSON; null while nobody knows. */
  readonly outcome: string | null;
}

type Outcome =
  | { readonly result: unknown }
  | { readonly problem: { readonly code: ErrorCode; readonly message: string } };

export interface Performance<Result> {
  /** Which session the command is about. */
  readonly session: () => Promise<string>;
  /** Does it; `again` when it may have been done before, by a process that was killed. */
  readonly act: (session: string, again: boolean) => Promise<Result>;
}

/** Remembers what came of commands by their keys, over a crash too, so that a command sent twice is done once. */
export class Receipts implements Disposable {
  readonly #database: DatabaseSync;
  readonly #underWay = new Map<string, { readonly digest: string; readonly outcome: Promise<unknown> }>();

  constructor(file: string, now = Date.now()) {
    // Made by us, so that nobody else may read it; what SQLite lays beside it takes after it.
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
    this.#database = new DatabaseSync(file);
    // A receipt must be there before what it is for is done, even if the power fails.
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000");
    this.#database.exec("PRAGMA secure_delete = ON"); // what is forgotten must not stay readable in free pages
    this.#database.exec(
      `CREATE TABLE IF NOT EXISTS receipts (
         key TEXT PRIMARY KEY, digest TEXT NOT NULL, session TEXT NOT NULL, outcome TEXT, at INTEGER NOT NULL
       ) STRICT`,
    );
    this.#database.prepare("DELETE FROM receipts WHERE at < ?").run(now - lifetime);
  }

  /** Does a command once. A key that was used before gives what came of it then. */
  async once<Result>(key: string, command: Command, performance: Performance<Result>): Promise<Result> {
    if (!/^[\x21-\x7e]+$/.test(key) || key.length > longestKey) {
      throw new FairleadError("invalid-request", `A key has 1 to ${longestKey} visible ASCII characters and no space.`);
    }
    const digest = createHash("sha256").update(JSON.stringify(command, inOrder)).digest("hex");
    const joined = this.#underWay.get(key);
    if (joined !== undefined) return (await same(joined, digest).outcome) as Result;
    const outcome = this.#perform(key, digest, performance).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { digest, outcome });
    return await outcome;
  }

  /**
   * Forgets what came of all commands about a session, but not that they were given: a key that is repeated must not
   * begin anew what was forgotten.
   */
  forget(session: string): void {
    const forgotten: Outcome = { problem: { code: "session-not-found", message: `Session ${session} was forgotten.` } };
    const forget = this.#database.prepare("UPDATE receipts SET outcome = ? WHERE session = ?");
    forget.run(JSON.stringify(forgotten), session);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  async #perform<Result>(key: string, digest: string, { session, act }: Performance<Result>): Promise<Result> {
    const known = this.#find(key);
    if (known !== undefined) same(known, digest);
    if (known?.outcome != null) return open(JSON.parse(known.outcome) as Outcome) as Result;
    const about = known?.session ?? (await session());
    if (known === undefined) this.#begin(key, digest, about);
    try {
      const result = await act(about, known !== undefined);
      this.#finish(key, { result });
      return result;
    } catch (error) {
      // What has only failed is not decided, and can be tried again under the same key.
      if (isDecided(error)) this.#finish(key, { problem: { code: error.code, message: error.message } });
      throw error;
    }
  }

  #find(key: string): Receipt | undefined {
    const row = this.#database.prepare("SELECT digest, session, outcome FROM receipts WHERE key = ?").get(key);
    return row as Receipt | undefined;
  }

  #begin(key: string, digest: string, session: string): void {
    const insert = this.#database.prepare("INSERT INTO receipts (key, digest, session, at) VALUES (?, ?, ?, ?)");
    insert.run(key, digest, session, Date.now());
  }

  #finish(key: string, outcome: Outcome): void {
    this.#database.prepare("UPDATE receipts SET outcome = ? WHERE key = ?").run(JSON.stringify(outcome), key);
  }
}

/** The same command may come with its fields in another order. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function same<Known extends { readonly digest: string }>(known: Known, digest: string): Known {
  if (known.digest === digest) return known;
  throw new FairleadError("conflict", "This key was used for another command.");
}

function open(outcome: Outcome): unknown {
  if ("result" in outcome) return outcome.result;
  if (!("problem" in outcome)) return undefined; // a command without a result: JSON leaves that out
  throw new FairleadError(outcome.problem.code, outcome.problem.message);
}

/** Whether the error is an answer, and not merely a failure to get one. */
function isDecided(error: unknown): error is FairleadError {
  return FairleadError.isInstance(error) && !passing.has(error.code);
}

const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "fenced", "timed-out", "corrupt"]);
