import { exampleSession } from "@fairlead/testing/web/example-session.ts";
import { expect, test } from "vitest";
import { countSessions } from "./session-counts.ts";

test("counts also the sessions that the overview leaves out, and finds the longest wait", () => {
  const wait = (since: string) => ({ decision: "d", title: "t", since });
  const views = [
    exampleSession({ session: "a", state: "waiting", waitingFor: [wait("2026-11-19T10:05:00.000Z")] }),
    exampleSession({ session: "b", state: "waiting", waitingFor: [wait("2026-11-19T10:02:00.000Z")] }),
    exampleSession({ session: "c", state: "ended" }),
  ];
  const sessions = new Map(views.map((view) => [view.session, view]));
  expect(countSessions({ sessions, counts: { waiting: 2, ended: 40, stuck: 1, silent: 3, working: 4 } })).toEqual({
    all: 50,
    byNeed: { "needs-you": 3, working: 7, idle: 0, paused: 0, ended: 40 },
    longestWait: "2026-11-19T10:02:00.000Z",
    olderEnded: 39,
  });
});
