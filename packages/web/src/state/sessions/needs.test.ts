import type { SessionView } from "@fairlead/api";
import { exampleSession } from "@fairlead/testing/web/example-session.ts";
import { describe, expect, test } from "vitest";
import { findUnattended, needOf } from "./needs.ts";
import { countSessions } from "./session-counts.ts";
import { readFilter } from "./session-filter.ts";
import { listSessionRows } from "./session-list.ts";

const now = Date.parse("2026-11-19T12:00:00.000Z");

test.each<[Partial<SessionView>, string]>([
  [{ state: "idle", lastOutcome: "failed" }, "needs-you"],
  [{ state: "paused", lastOutcome: "limited" }, "needs-you"],
  // A person interrupted it.
  [{ state: "idle", lastOutcome: "interrupted" }, "idle"],
  [{ state: "working", lastOutcome: "failed" }, "working"],
])("a session with %j: %s", (fields, need) => {
  expect(needOf(exampleSession(fields))).toBe(need);
});

describe("a session that crashed", () => {
  const crashed = exampleSession({ session: "crashed", state: "ended", reason: "crashed" });

  test.each<[string, SessionView[], number, string[]]>([
    ["needs a person", [crashed], now, ["crashed"]],
    ["needs none after a day", [crashed], now + 24 * 3_600_000, []],
    ["needs none once it is continued", [crashed, exampleSession({ session: "b", continues: "crashed" })], now, []],
    ["is not one that was stopped", [{ ...crashed, reason: "stopped" }], now, []],
  ])("%s", (_, sessions, at, found) => {
    expect([...findUnattended(sessions, at)]).toEqual(found);
  });

  test("is counted and listed with those that need a person", () => {
    const sessions = new Map([[crashed.session, crashed]]);
    const counts = countSessions({ sessions, counts: { ended: 5 } }, now);
    expect(counts).toMatchObject({ byNeed: { "needs-you": 1, ended: 4 }, all: 5, olderEnded: 4 });
    const rows = listSessionRows([crashed], readFilter(new URLSearchParams("need=needs-you")), now);
    expect(rows.map(({ key }) => key)).toEqual(["group needs-you", "crashed"]);
  });
});
