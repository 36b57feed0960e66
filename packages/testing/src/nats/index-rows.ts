import type { SessionIndex, SessionRow } from "@fairlead/journal";
import { expect } from "vitest";

/** Returns a row with defaults for all fields that a test does not name. */
export function indexRow(session: string, fields: Partial<SessionRow> = {}): SessionRow {
  const time = "2026-01-01T00:00:00.000Z";
  const ids = { session, epoch: 1, last: 1, owner: "owner", name: null, continues: null, agentSessionId: null };
  const rest = { state: "idle", unfinished: true, agent: "agent", workspace: "/w", startedAt: time, lastAt: time };
  return { ...ids, ...rest, content: "{}", ...fields };
}

/** Returns the session and the last sequence of all rows. */
export async function listIndex(index: SessionIndex): Promise<string[]> {
  const { rows } = await index.page({}, { order: "session", limit: 1_000 });
  return rows.map(({ session, last }) => `${session} ${last}`);
}

/** Waits until another process's writes are in the pages of an index. */
export async function waitForIndex(index: SessionIndex, expected: readonly string[]): Promise<void> {
  await expect
    .poll(() => listIndex(index).catch((error: unknown) => String(error)), { timeout: 25_000, interval: 20 })
    .toEqual(expected);
}
