import { createHash } from "node:crypto";
import { chmodSync, closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { FairleadError, type ErrorCode } from "@fairlead/contract";

/** How long the store remembers a key. */
const keyLifetimeMs = 7 * 24 * 60 * 60 * 1000;
/** How often expired keys are removed. */
const defaultPruneIntervalMs = 60 * 60 * 1000;
/** How many keys are removed at once. All sessions wait meanwhile. */
const pruneBatch = 500;
/** The pause between two batches. */
const prunePauseMs = 50;

/** The name and the arguments of a command. Two commands are the same if their payloads are equal. */
export type CommandPayload = readonly unknown[];

interface StoredCommand {
  readonly digest: string;
  /** The id of the session at the first attempt. Later, its name may belong to another session. */
  readonly session: string;
  /** The outcome as JSON; null while it is unknown. */
  readonly outcome: string | null;
}

type CommandOutcome =
  | { readonly result: unknown }
  | { readonly problem: { readonly code: ErrorCode; readonly message: string } };

export interface CommandExecution<Result> {
  /** Finds the id of the command's session. */
  readonly resolveSession: () => Promise<string>;
  /** Executes the command. `isRetry` is true if a process that was killed may have executed it already. */
  readonly execute: (session: string, isRetry: boolean) => Promise<Result>;
}

/** Stores the outcomes of commands by idempotency key, so that a repeated command is executed once, even after a crash. */
export class IdempotencyStore implements Disposable {
  readonly #database: DatabaseSync;
  readonly #inFlight = new Map<string, { readonly digest: string; readonly outcome: Promise<unknown> }>();

  #pruneTimer: NodeJS.Timeout | undefined;

  constructor(file: string, now: () => number = Date.now, pruneIntervalMs: number = defaultPruneIntervalMs) {
    // Create the file first, readable only by its owner: SQLite gives its other files the same mode.
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
    this.#database = new DatabaseSync(file);
    // The key must be stored before the command is executed, even if the power fails.
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000");
    this.#database.exec("PRAGMA secure_delete = ON"); // forgotten outcomes must not stay readable in free pages
    this.#database.exec(
      `CREATE TABLE IF NOT EXISTS receipts (
         key TEXT PRIMARY KEY, digest TEXT NOT NULL, session TEXT NOT NULL, outcome TEXT, at INTEGER NOT NULL
       ) STRICT;
       CREATE INDEX IF NOT EXISTS receipts_session ON receipts (session);
       CREATE INDEX IF NOT EXISTS receipts_at ON receipts (at);`,
    );
    this.#removeOldRefusals();
    this.#prune(now, pruneIntervalMs);
  }

  /** Executes a command once. Returns or throws the stored outcome if the key was used before. */
  async runOnce<Result>(key: string, command: CommandPayload, execution: CommandExecution<Result>): Promise<Result> {
    const digest = createHash("sha256").update(JSON.stringify(command, sortKeys)).digest("hex");
    const inFlight = this.#inFlight.get(key);
    if (inFlight !== undefined) return (await assertSameCommand(inFlight, digest).outcome) as Result;
    const outcome = this.#execute(key, digest, execution).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, { digest, outcome });
    return await outcome;
  }

  /**
   * Erases the outcomes of all commands on a session but keeps their keys: a repeated key must not start the forgotten
   * session again. Leaves `exceptKey`, the key of the command that forgets the session: after a crash, that command must
   * be executed again.
   */
  forget(session: string, exceptKey = ""): void {
    const outcome: CommandOutcome = {
      problem: { code: "session-not-found", message: `Session ${session} was forgotten.` },
    };
    const update = this.#database.prepare("UPDATE receipts SET outcome = ? WHERE session = ? AND key <> ?");
    update.run(JSON.stringify(outcome), session, exceptKey);
    this.#truncateLog();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#pruneTimer);
    this.#database.close();
  }

  /** Removes a batch of expired keys, and schedules the next. */
  #prune(now: () => number, intervalMs: number): void {
    let isMore = false;
    try {
      const expired = "SELECT rowid FROM receipts WHERE at < ? LIMIT ?";
      const remove = this.#database.prepare(`DELETE FROM receipts WHERE rowid IN (${expired})`);
      isMore = Number(remove.run(now() - keyLifetimeMs, pruneBatch).changes) === pruneBatch;
    } catch {
      // The disk is full, or another process writes. The next time may work.
    }
    this.#pruneTimer = setTimeout(() => this.#prune(now, intervalMs), isMore ? prunePauseMs : intervalMs).unref();
  }

  async #execute<Result>(
    key: string,
    digest: string,
    { resolveSession, execute }: CommandExecution<Result>,
  ): Promise<Result> {
    const stored = this.#find(key);
    if (stored !== undefined) assertSameCommand(stored, digest);
    if (stored?.outcome != null) return unwrapOutcome(JSON.parse(stored.outcome) as CommandOutcome) as Result;
    const sessionId = stored?.session ?? (await resolveSession());
    if (stored === undefined) this.#insert(key, digest, sessionId);
    try {
      const result = await execute(sessionId, stored !== undefined);
      this.#recordOutcome(key, { result });
      return result;
    } catch (error) {
      // Neither is an outcome: a transient failure, after which the caller can retry with the same key, and a refusal,
      // which depends on what the caller may do now and had no effect.
      if (FairleadError.is(error, "not-allowed") && stored === undefined) this.#remove(key);
      if (isFinal(error)) this.#recordOutcome(key, { problem: { code: error.code, message: error.message } });
      throw error;
    }
  }

  /** Empties the write-ahead log, which would have the erased outcomes until SQLite overwrites it. */
  #truncateLog(): void {
    const result = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (result?.["busy"] === 0) return;
    throw new FairleadError("unavailable", "Another process reads the stored outcomes of commands. Try again.");
  }

  #find(key: string): StoredCommand | undefined {
    const row = this.#database.prepare("SELECT digest, session, outcome FROM receipts WHERE key = ?").get(key);
    return row as StoredCommand | undefined;
  }

  #insert(key: string, digest: string, session: string): void {
    const insert = this.#database.prepare("INSERT INTO receipts (key, digest, session, at) VALUES (?, ?, ?, ?)");
    insert.run(key, digest, session, Date.now());
  }

  #remove(key: string): void {
    this.#database.prepare("DELETE FROM receipts WHERE key = ?").run(key);
  }

  /**
   * Upgrades a file of version 0, whose keys were shared by all callers and which stored refusals: one caller's refusal
   * could be the outcome of another one's command. Its other keys stay the owner's.
   */
  #removeOldRefusals(): void {
    const { user_version: version } = this.#database.prepare("PRAGMA user_version").get() ?? {};
    if (version !== 0) return;
    this.#database.exec(`DELETE FROM receipts WHERE outcome LIKE '{"problem":{"code":"not-allowed"%'`);
    this.#database.exec("PRAGMA user_version = 1");
  }

  #recordOutcome(key: string, outcome: CommandOutcome): void {
    this.#database.prepare("UPDATE receipts SET outcome = ? WHERE key = ?").run(JSON.stringify(outcome), key);
  }
}

/** Sorts the fields of objects, because the same command may have them in another order. */
function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function assertSameCommand<Known extends { readonly digest: string }>(stored: Known, digest: string): Known {
  if (stored.digest === digest) return stored;
  throw new FairleadError("conflict", "The idempotency key was used for another command. Use a new key.");
}

function unwrapOutcome(outcome: CommandOutcome): unknown {
  if ("result" in outcome) return outcome.result;
  if (!("problem" in outcome)) return undefined; // JSON omits the undefined result of a command
  throw new FairleadError(outcome.problem.code, outcome.problem.message);
}

/** Reports whether the error is the outcome of the command. */
function isFinal(error: unknown): error is FairleadError {
  return FairleadError.isInstance(error) && !retriableCodes.has(error.code);
}

const retriableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unavailable",
  "fenced",
  "timed-out",
  "corrupt",
  "indeterminate",
  "not-allowed",
]);
