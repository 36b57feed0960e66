// A worker of the claim: damages the sample journal in every way of its share, opens it and checks the result.
import { rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { FairleadError } from "@fairlead/contract";
import { openSqliteLog, type Recovery, type LogTail } from "@fairlead/journal";
import type { JournalDamage } from "./journal-damage.ts";
import type { DamageTally } from "./damage-tally.ts";
import { session, type SampleJournal } from "./sample-journal.ts";

/** What a reader received. */
interface ReadOutcome {
  readonly events: readonly string[];
  readonly tail?: LogTail;
  readonly listedTail?: LogTail | undefined;
  readonly recovery?: Recovery | undefined;
  /** The errors it received instead of the rest. */
  readonly errors: readonly unknown[];
}

const {
  file,
  victim: sample,
  injuries: damages,
} = workerData as { file: string; victim: SampleJournal; injuries: readonly JournalDamage[] };
const tally = {
  damageCounts: {} as Record<string, number>,
  wrong: [] as string[],
  silentErrors: 0,
} satisfies DamageTally;

for (const injury of damages) {
  tally.damageCounts[injury.kind] = (tally.damageCounts[injury.kind] ?? 0) + 1;
  if (injury.at % 32 === 0 || injury.kind === "row flip") {
    writeDamagedFiles(injury);
    if (isSilentlyWrong()) tally.silentErrors++;
  }
  writeDamagedFiles(injury);
  const account = await openAndRead(listsSessions(injury));
  const fault = injury.kind.startsWith("log") ? checkLog(injury, account) : checkDatabase(injury, account);
  if (fault !== undefined) {
    const { events, ...rest } = account;
    tally.wrong.push(
      `${injury.kind} at ${injury.at}, bit ${injury.bit}: ${fault}; given ${events.length}, ${describeOutcome(rest)}`,
    );
  }
}
parentPort?.postMessage(tally, []);

function describeOutcome({ errors, recovery }: Omit<ReadOutcome, "events">): string {
  return `said ${JSON.stringify(recovery)} ${errors.map(String).join(", ")}`;
}

/** Writes the damaged files. */
function writeDamagedFiles({ kind, at, bit }: JournalDamage): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  const inLog = kind.startsWith("log");
  const original = inLog ? sample.killed.log : sample.closed;
  const damaged = Uint8Array.from(bit === undefined ? original.subarray(0, at) : original);
  if (bit !== undefined) damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
  writeFileSync(inLog ? `${file}-wal` : file, damaged);
  if (inLog) writeFileSync(file, sample.killed.database);
  if (inLog && kind !== "log alone") writeFileSync(`${file}-shm`, sample.killed.index);
}

/** The session list is derived from the same tails, so it is checked less often. */
function listsSessions({ kind, at }: JournalDamage): boolean {
  return !kind.startsWith("log") || at % 16 === 0;
}

async function openAndRead(listsSessions: boolean): Promise<ReadOutcome> {
  const events: string[] = [];
  const errors: unknown[] = [];
  const outcome: { -readonly [Key in keyof ReadOutcome]: ReadOutcome[Key] } = { events, errors };
  const attempt = (action: () => Promise<void>) => action().catch((error: unknown) => void errors.push(error));
  await attempt(async () => {
    await using journal = await openSqliteLog({ file });
    outcome.recovery = journal.recovery;
    await attempt(async () => {
      for await (const batch of journal.read(session, 0)) {
        if (batch.first !== events.length + 1) events.push("a gap");
        events.push(...batch.events.map((event) => Buffer.from(event).toString()));
      }
    });
    await attempt(async () => void (outcome.tail = await journal.tail(session)));
    if (!listsSessions) return void (outcome.listedTail = outcome.tail);
    await attempt(async () => {
      for await (const one of journal.sessions()) {
        if (one.damage !== undefined) throw one.damage;
        if (one.session === session) outcome.listedTail = one.tail;
      }
    });
  });
  return outcome;
}

function isPrefixOfWritten({ events }: ReadOutcome): boolean {
  return events.every((event, index) => event === sample.events[index]);
}

/** SQLite recovers what was committed before the damage. The log must return exactly that and report the damage. */
function checkLog({ kind, at }: JournalDamage, outcome: ReadOutcome): string | undefined {
  const { events, tail, listedTail, recovery, errors } = outcome;
  const firstLost = sample.ends.findIndex((end) => at < end);
  const expected = sample.before[Math.max(0, firstLost - 1)] ?? 0;
  if (errors.length > 0) return "an error";
  if (!isPrefixOfWritten(outcome)) return "not what was written";
  if (events.length !== expected) return `not the ${expected} that are intact`;
  if (tail?.last !== expected || listedTail?.last !== expected) return "another tail";
  if (kind !== "log alone") return recovery?.verdict === "damaged" ? undefined : "not reported";
  // A log that ends at a commit shows no sign of missing data.
  if (sample.ends.includes(at) || at === 0) return undefined;
  return (recovery?.bytesDiscarded ?? 0) > 0 ? undefined : "not reported";
}

/** Missing events must be reported, and the events in rows before a damaged row must be returned. */
function checkDatabase({ kind, at }: JournalDamage, outcome: ReadOutcome): string | undefined {
  const { events, tail, listedTail, errors } = outcome;
  const all = sample.events.length;
  if (!errors.every((error) => FairleadError.isInstance(error))) return "an error of another kind";
  if (!isPrefixOfWritten(outcome)) return "not what was written";
  if (tail !== undefined && tail.last !== all) return "another tail";
  if (listedTail !== undefined && listedTail.last !== all) return "another tail in the list";
  const isIncomplete = events.length < all || tail === undefined || listedTail === undefined;
  if (isIncomplete && errors.length === 0) return "not reported";
  if (kind !== "row flip") return undefined;
  const row = sample.rows.findIndex(({ from, to }) => at >= from && at < to);
  return events.length >= (sample.before[row] ?? 0) ? undefined : `the ${sample.before[row]} before it are not given`;
}

/** The control: a reader that trusts SQLite and checks nothing. */
function isSilentlyWrong(): boolean {
  try {
    using database = new DatabaseSync(file);
    const rows = database.prepare("SELECT count, data FROM frames WHERE session = ? ORDER BY last, epoch").all(session);
    const texts = rows.map(({ data }) => Buffer.from(data as Uint8Array).toString("latin1")).join("");
    const expected = sample.events.map((event) => `\0\0\0${String.fromCharCode(event.length)}${event}`).join("");
    return texts !== expected;
  } catch {
    return false;
  }
}
