import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogTail, SessionRow } from "@fairlead/journal";
import { Home } from "@fairlead/runtime";
import { expect, onTestFinished, test } from "vitest";
import { removeDepartedSessions, type DepartedSessionsOptions } from "./departed-sessions.ts";

const keepFor = 60_000;

interface Bench extends DepartedSessionsOptions {
  readonly removedRows: readonly string[];
  readonly questions: readonly string[];
  readonly errors: readonly unknown[];
}

/** A host with a folder for each session that is given, which was last written long ago. */
function createHost(sessions: readonly string[], changes: Partial<DepartedSessionsOptions> = {}): Bench {
  const folder = mkdtempSync(join(tmpdir(), "departed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const home = new Home(folder);
  for (const session of sessions) writeOld(home.sessionFolder(session));
  const removedRows: string[] = [];
  const questions: string[] = [];
  const errors: unknown[] = [];
  const tail = async (session: string): Promise<LogTail> => {
    questions.push(session);
    return { owner: session.startsWith("away") ? "other" : "this", epoch: 2, last: 4, fence: 1n };
  };
  return {
    home,
    log: { tail },
    hosts: { isElsewhere: (owner) => owner === "other" },
    local: { get: async () => undefined, remove: async (session) => void removedRows.push(session) },
    driven: { has: () => false, reservationCount: 0 },
    keepFor,
    removedRows,
    questions,
    errors,
    onError: (error) => void errors.push(error),
    ...changes,
  };
}

function writeOld(folder: string): void {
  const spool = join(folder, "spool");
  mkdirSync(spool, { recursive: true });
  writeFileSync(join(spool, "1"), "output");
  const at = new Date(Date.now() - 2 * keepFor);
  for (const path of [join(spool, "1"), spool, folder]) utimesSync(path, at, at);
}

test("a host removes folder and row of a session that moved away, and what interrupted arrivals have left", async () => {
  const host = createHost(["away", "here", "away-late"]);
  const { home } = host;
  writeFileSync(join(home.sessionFolder("away-late"), "spool", "1"), "said after the log refused it");
  writeOld(join(home.arrivalsFolder, "here"));
  writeOld(join(home.arrivalsFolder, "away.departed"));
  mkdirSync(join(home.arrivalsFolder, "coming"));
  await removeDepartedSessions(host);
  expect(readdirSync(home.sessionsFolder)).toEqual(["away-late", "here"]);
  expect(readdirSync(home.arrivalsFolder)).toEqual(["coming"]);
  expect(host.removedRows).toEqual(["away"]);
});

test("a session whose removal fails keeps no other from being removed", async () => {
  const host = createHost(["away-1", "away-2", "away-3"]);
  const problem = new Error("The row is locked.");
  const remove = async (session: string): Promise<void> => {
    if (session === "away-2") throw problem;
  };
  await removeDepartedSessions({ ...host, local: { ...host.local, remove } });
  expect(readdirSync(host.home.sessionsFolder)).toEqual([]);
  expect(host.errors).toEqual([problem]);
});

test("a session that comes back while the log is read keeps its folder", async () => {
  const driven = { has: () => false, reservationCount: 0 };
  const host = createHost(["away"], { driven });
  const { tail } = host.log;
  const arriving = { ...host, log: { tail: (session: string) => ((driven.reservationCount += 1), tail(session)) } };
  await removeDepartedSessions(arriving);
  expect(readdirSync(host.home.sessionsFolder)).toEqual(["away"]);
  await removeDepartedSessions({ ...host, driven: { has: (session) => session === "away", reservationCount: 0 } });
  expect(readdirSync(host.home.sessionsFolder)).toEqual(["away"]);
  await removeDepartedSessions(host);
  expect(readdirSync(host.home.sessionsFolder)).toEqual([]);
});

test("the servers are not asked about sessions that have ended here", async () => {
  const row = { state: "ended", owner: "this" } as SessionRow;
  const host = createHost(["ended"], { local: { get: async () => row, remove: async () => {} } });
  await removeDepartedSessions(host);
  expect(host.questions).toEqual([]);
  expect(readdirSync(host.home.sessionsFolder)).toEqual(["ended"]);
});
