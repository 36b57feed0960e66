import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { trimSpool } from "@fairlead/testing/service/trim-spool.ts";
import type { TestBed } from "./test-bed.ts";

/** A way in which a session misbehaves, and the well-behaved session that is as busy. */
export interface BadKind {
  readonly id: string;
  readonly agent: (isBad: boolean) => string;
  /** What the agent's stand-in does: the body of an async function. */
  readonly script: (isBad: boolean) => string;
  /** Number of events after which the agent works. */
  readonly workingAfter: number;
  /** Damages the session after its agent works. */
  readonly damage?: (bed: TestBed, session: string) => Promise<void> | void;
  /** Whether the daemon is killed and started again before the measurement, as the damage shows only then. */
  readonly restarts?: boolean;
  /** What a client does with the session while the others are measured. Errors are expected. */
  readonly use?: (bed: TestBed, session: string) => Promise<unknown>;
  /** Whether the measurement takes as long as the agent's script. */
  readonly untilDone?: boolean;
}

/** Prints a line every 20 ms. */
const busy = `for (let at = 0; at < 100000; at += 1) { text("THROW " + at); await sleep(20); } done();`;
/** The same after 8 MB, so that the spool has several parts. */
const busyAfterMuch = `for (let at = 0; at < 400; at += 1) text("y".repeat(20000)); ${busy}`;
const transcript = `const folder = process.env.HOME + "/.claude/projects/" + process.cwd().replace(/[^a-zA-Z0-9]/g, "-");
  const file = folder + "/" + conversation() + ".jsonl"; fs.mkdirSync(folder, { recursive: true }); fs.rmSync(file, { force: true });`;
const write = `const write = async (piece) => {
    if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  };`;
const claude = (): string => "claude-code";
const readEvents = async (bed: TestBed, session: string): Promise<void> => {
  const fairlead = bed.connect();
  await fairlead.session(session);
  await Array.fromAsync(fairlead.events(session));
};

export const badKinds: readonly BadKind[] = [
  {
    id: "throwing dialect",
    agent: (isBad) => (isBad ? "throwing" : "claude-code"),
    script: () => busy,
    workingAfter: 20,
    use: async (bed, session) => await bed.connect().send(session, "text('x'); done()"),
  },
  {
    id: "damaged journal rows",
    agent: claude,
    script: () => busyAfterMuch,
    workingAfter: 380,
    restarts: true,
    damage: (bed, session) => {
      using database = new DatabaseSync(bed.testHome.home.journalFile, { timeout: 10_000 });
      const newest = "(SELECT max(id) FROM frames WHERE session = ?1)";
      database
        .prepare(`UPDATE frames SET data = x'00' WHERE id = ${newest} OR (session = ?1 AND first = 1)`)
        .run(session);
    },
    use: readEvents,
  },
  {
    id: "torn snapshot",
    agent: claude,
    script: () => busyAfterMuch,
    workingAfter: 380,
    restarts: true,
    damage: async (bed, session) => {
      const { home } = bed.testHome;
      await bed.killDaemon(); // it would write the next snapshot
      await trimSpool(home.sessionFolder(session));
      writeFileSync(home.snapshotFile(session), '1\n{"upTo');
    },
    use: readEvents,
  },
  {
    id: "frozen keeper",
    agent: claude,
    script: () => busy,
    workingAfter: 20,
    damage: (bed, session) => {
      const file = join(bed.testHome.home.sessionFolder(session), "keeper.json");
      process.kill((JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid, "SIGSTOP");
    },
    use: async (bed, session) => await bed.connect().send(session, "text('x'); done()"),
  },
  {
    id: "FIFO transcript",
    agent: claude,
    script: (isBad) =>
      `${transcript} ${isBad ? 'childProcess.execFileSync("mkfifo", [file])' : 'fs.writeFileSync(file, "{}\\n".repeat(100000))'};
       text("laid"); done();`,
    workingAfter: 4,
    use: async (bed, session) => {
      await bed.connect().pause(session);
      await bed.connect().resume(session);
    },
  },
  {
    id: "text of 600 MiB",
    agent: () => "goose",
    script: (isBad) =>
      isBad
        ? 'text("begin"); await flood(600); done();'
        : 'text("begin"); for (let at = 0; at < 600; at += 1) { await flood(1); call("call-" + at, { status: "completed" }); } done();',
    workingAfter: 3,
    untilDone: true,
  },
  {
    id: "line of 600 MiB",
    agent: claude,
    script: (isBad) =>
      `${write} const piece = "x".repeat(1 << 20); text("begin");
       ${isBad ? "for (let at = 0; at < 600; at += 1) await write(piece);" : 'for (let at = 0; at < 38400; at += 1) { text("x".repeat(16384)); await write(""); }'}
       process.stdout.write("\\n"); text("end"); done();`,
    workingAfter: 3,
    untilDone: true,
  },
  {
    id: "exploding lines",
    agent: claude,
    script: (isBad) =>
      `const lines = ["API Error: ".repeat(140000), "[".repeat(1500000), '{"type":'.repeat(180000), " ".repeat(1500000) + "x"];
       for (let at = 0; at < 100000; at += 1) {
         ${isBad ? '(at % 2 ? process.stdout : process.stderr).write(lines[at % 4] + "\\n");' : 'text("x".repeat(1000000));'}
         await sleep(500);
       } done();`,
    workingAfter: 3,
  },
];

/** Not a defect to survive: shows that the measurement detects a session that keeps the daemon busy. */
export const spinningKind: BadKind = {
  id: "spinning dialect",
  agent: (isBad) => (isBad ? "spinning" : "claude-code"),
  script: () => busy,
  workingAfter: 20,
};

/** Uses a session again and again until the signal. A client that gets an error tries again. */
export async function useUntil(use: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await Promise.race([use().catch(() => {}), delay(2000)]);
    await delay(250, undefined, { signal }).catch(() => {});
  }
}
