import { type DecisionView, type OverviewFrame, type SessionView, zeroCounts } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { exampleSession } from "@fairlead/testing/web/example-session.ts";
import { expect, test } from "vitest";
import { limitOverview } from "./limit-overview.ts";

const mine = (session: string, state: SessionView["state"] = "idle"): SessionView =>
  exampleSession({ session, state, workspace: "/mine" });
const theirs = (session: string, state: SessionView["state"] = "idle"): SessionView =>
  exampleSession({ session, state, workspace: "/theirs" });
const asks = (session: string, decision: string): DecisionView => ({ session, decision }) as DecisionView;
const key = ({ session, decision }: DecisionView): string => `${session} ${decision}`;

/** What the service knows of sessions whose views have not been sent. */
const stored: Record<string, SessionView> = { late: mine("late"), "late-theirs": theirs("late-theirs") };

async function limit(frames: readonly Partial<OverviewFrame>[]): Promise<OverviewFrame[]> {
  let number = 100;
  async function* read(): AsyncGenerator<OverviewFrame> {
    const nothing = { sessions: [], removed: [], decisions: [], closed: [], counts: zeroCounts() };
    for (const frame of frames)
      yield { reset: false, ...nothing, caughtUp: true, position: `abcd.${(number += 1)}`, ...frame };
  }
  return await Array.fromAsync(
    limitOverview(read(), {
      isInside: ({ workspace }) => workspace === "/mine",
      isRunInside: async (run) => run === "run-mine",
      readSession: async (session) => {
        const view = stored[session];
        if (view === undefined) throw new FairleadError("session-not-found", `There is no session ${session}.`);
        return view;
      },
    }),
  );
}

test("of two workspaces, only the sessions of one are sent, counted and removed", async () => {
  const counts = { ...zeroCounts(), idle: 40, ended: 5000 };
  const frames = await limit([
    { reset: true, sessions: [mine("m1"), theirs("t1"), mine("m2", "working"), theirs("t2", "ended")], counts },
    { sessions: [mine("m1", "waiting"), theirs("t1", "waiting")], counts },
    { removed: ["m2", "t1"], counts },
  ]);
  expect(frames.map(({ sessions }) => sessions.map(({ session }) => session))).toEqual([["m1", "m2"], ["m1"], []]);
  expect(frames.map(({ removed }) => removed)).toEqual([[], [], ["m2"]]);
  expect(frames.map((frame) => frame.counts)).toEqual([
    { ...zeroCounts(), idle: 1, working: 1 },
    { ...zeroCounts(), waiting: 1, working: 1 },
    { ...zeroCounts(), waiting: 1 },
  ]);
});

test("only decisions of its sessions and runs are opened and closed, also before their views are sent", async () => {
  const all = ["m1", "t1", "late", "late-theirs", "gone", "run-mine", "run-theirs"].map((session) =>
    asks(session, "d"),
  );
  const closed = all.map(({ session, decision }) => ({ session, decision }));
  const frames = await limit([
    { reset: true, sessions: [mine("m1"), theirs("t1")], decisions: all },
    { closed },
    { closed },
  ]);
  expect(frames.map(({ decisions }) => decisions.map(key))).toEqual([["m1 d", "late d", "run-mine d"], []]);
  expect(frames[1]?.closed.map(({ session }) => session)).toEqual(["m1", "late", "run-mine"]);
});

test("how much others do shows neither in the number of frames nor in a position", async () => {
  const others = Array.from({ length: 50 }, (_, index) => ({
    sessions: [theirs(`t${index}`)],
    removed: [`t${index - 1}`],
    decisions: [asks(`t${index}`, "d")],
    closed: [{ session: `t${index - 1}`, decision: "d" }],
  }));
  const quiet = await limit([{ reset: true, sessions: [mine("m1")] }, { sessions: [mine("m1", "working")] }]);
  const busy = await limit([{ reset: true, sessions: [mine("m1")] }, ...others, { sessions: [mine("m1", "working")] }]);
  expect(busy).toEqual(quiet);
});

test("a state that begins again forgets what was sent", async () => {
  const [, again] = await limit([
    { reset: true, sessions: [mine("m1"), mine("m2")], decisions: [asks("m1", "d")] },
    { reset: true, sessions: [mine("m3")], removed: ["m1"], closed: [{ session: "m1", decision: "d" }] },
  ]);
  expect(again).toMatchObject({ reset: true, removed: [], closed: [], counts: { ...zeroCounts(), idle: 1 } });
});
