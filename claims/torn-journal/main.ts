// A worker of the claim: damages the victim in every way of its share, opens it, and judges what it is given.
import { rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { FairleadError } from "@fairlead/contract";
import { openSqliteLog, type Recovery, type Tail } from "@fairlead/journal";
import type { Injury } from "./injuries.ts";
import type { Tally } from "./tally.ts";
import { session, type Victim } from "./victim.ts";

/** What a reader was given. */
interface Account {
  readonly events: readonly string[];
  readonly tail?: Tail;
  readonly listed?: Tail | undefined;
  readonly recovery?: Recovery | undefined;
  /** What it was told instead of the rest. */
  readonly errors: readonly unknown[];
}

const { file, victim, injuries } = workerData as { file: string; victim: Victim; injuries: readonly Injury[] };
const tally = { injuries: {} as Record<string, number>, wrong: [] as string[], silent: 0 } satisfies Tally;

for (const injury of injuries) {
  tally.injuries[injury.kind] = (tally.injuries[injury.kind] ?? 0) + 1;
  if (injury.at % 32 === 0 || injury.kind === "row flip") {
    layOut(injury);
    if (isSilentlyWrong()) tally.silent++;
  }
  layOut(injury);
  const account = await openAndRead(isListed(injury));
  const fault = injury.kind.startsWith("log") ? faultOfLog(injury, account) : faultOfDatabase(injury, account);
  if (fault !== undefined) {
    const { events, ...rest } = account;
    tally.wrong.push(
      `${injury.kind} at ${injury.at}, bit ${injury.bit}: ${fault}; given ${events.length}, ${said(rest)}`,
    );
  }
}
parentPort?.postMessage(tally, []);

function said({ errors, recovery }: Omit<Account, "events">): string {
  return `said ${JSON.stringify(recovery)} ${errors.map(String).join(", ")}`;
}

/** Puts the damaged files in place. */
function layOut({ kind, at, bit }: Injury): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
  const inLog = kind.startsWith("log");
  const whole = inLog ? victim.killed.log : victim.closed;
  const injured = Uint8Array.from(bit === undefined ? whole.subarray(0, at) : whole);
  if (bit !== undefined) injured[at] = (injured[at] ?? 0) ^ (1 << bit);
  writeFileSync(inLog ? `${file}-wal` : file, injured);
  if (inLog) writeFileSync(file, victim.killed.database);
  if (inLog && kind !== "log alone") writeFileSync(`${file}-shm`, victim.killed.index);
}

/** The list of sessions is made from the same tails, and so it is looked at less often. */
function isListed({ kind, at }: Injury): boolean {
  return !kind.startsWith("log") || at % 16 === 0;
}

async function openAndRead(lists: boolean): Promise<Account> {
  const events: string[] = [];
  const errors: unknown[] = [];
  const account: { -readonly [Key in keyof Account]: Account[Key] } = { events, errors };
  const attempt = (action: () => Promise<void>) => action().catch((error: unknown) => void errors.push(error));
  await attempt(async () => {
    await using journal = await openSqliteLog({ file });
    account.recovery = journal.recovery;
    await attempt(async () => {
      for await (const frame of journal.read(session, 0)) {
        if (frame.first !== events.length + 1) events.push("a gap");
        events.push(...frame.events.map((event) => Buffer.from(event).toString()));
      }
    });
    await attempt(async () => void (account.tail = await journal.tail(session)));
    if (!lists) return void (account.listed = account.tail);
    await attempt(async () => {
      for await (const one of journal.sessions()) if (one.session === session) account.listed = one.tail;
    });
  });
  return account;
}

function isPrefix({ events }: Account): boolean {
  return events.every((event, index) => event === victim.events[index]);
}

/** SQLite takes in what was committed before the damage; that, neither more nor less, must be there, and said. */
function faultOfLog({ kind, at }: Injury, account: Account): string | undefined {
  const { events, tail, listed, recovery, errors } = account;
  const lost = victim.ends.findIndex((end) => at < end);
  const expected = victim.before[Math.max(0, lost - 1)] ?? 0;
  if (errors.length > 0) return "an error";
  if (!isPrefix(account)) return "not what was written";
  if (events.length !== expected) return `not the ${expected} that are intact`;
  if (tail?.last !== expected || listed?.last !== expected) return "another tail";
  if (kind !== "log alone") return recovery?.verdict === "damaged" ? undefined : "not reported";
  // Nothing shows that there was more when the log ends where a commit does.
  if (victim.ends.includes(at) || at === 0) return undefined;
  return (recovery?.bytesLeftOut ?? 0) > 0 ? undefined : "not reported";
}

/** Whatever is not given must be missed aloud, and what stands in the rows before an injured row must be given. */
function faultOfDatabase({ kind, at }: Injury, account: Account): string | undefined {
  const { events, tail, listed, errors } = account;
  const all = victim.events.length;
  if (!errors.every((error) => FairleadError.isInstance(error))) return "an error of another kind";
  if (!isPrefix(account)) return "not what was written";
  if (tail !== undefined && tail.last !== all) return "another tail";
  if (listed !== undefined && listed.last !== all) return "another tail in the list";
  const missed = events.length < all || tail === undefined || listed === undefined;
  if (missed && errors.length === 0) return "not reported";
  if (kind !== "row flip") return undefined;
  const row = victim.rows.findIndex(({ from, to }) => at >= from && at < to);
  return events.length >= (victim.before[row] ?? 0) ? undefined : `the ${victim.before[row]} before it are not given`;
}

/** The control: a reader that believes SQLite and checks nothing. */
function isSilentlyWrong(): boolean {
  try {
    using database = new DatabaseSync(file);
    const rows = database.prepare("SELECT count, data FROM frames WHERE session = ? ORDER BY last, epoch").all(session);
    const texts = rows.map(({ data }) => Buffer.from(data as Uint8Array).toString("latin1")).join("");
    const expected = victim.events.map((event) => `\0\0\0${String.fromCharCode(event.length)}${event}`).join("");
    return texts !== expected;
  } catch {
    return false;
  }
}
