import { setImmediate as nextTurn } from "node:timers/promises";
import { type DecisionView, type Fairlead, type OverviewFrame, type OverviewOptions, zeroCounts } from "@fairlead/api";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { exampleSession } from "@fairlead/testing/web/example-session.ts";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { readCurrentOverview } from "./read-current-overview.ts";

const empty: OverviewFrame = {
  reset: false,
  sessions: [],
  removed: [],
  decisions: [],
  closed: [],
  counts: zeroCounts(),
  caughtUp: false,
  position: "p.0",
};
const view = (session: string, fields: object = {}) => exampleSession({ session, ...fields });
const decision = (id: string): DecisionView => ({ session: "s1", decision: id }) as DecisionView;

async function* toFrames(frames: readonly Partial<OverviewFrame>[]): AsyncGenerator<OverviewFrame> {
  for (const frame of frames) yield { ...empty, ...frame };
}

test("the current state has each session and decision once, as after the newest frame", async () => {
  const frames = [
    { reset: true, sessions: [view("s1"), view("s2")], decisions: [decision("d1"), decision("d2")] },
    { sessions: [view("s1", { state: "working" })], removed: ["s2"], closed: [{ session: "s1", decision: "d1" }] },
    { sessions: [view("s3")], removed: ["s4"], caughtUp: true, position: "p.9" },
    { sessions: [view("after the state was whole")] },
  ];
  const state = await readCurrentOverview(toFrames(frames));
  expect(state.sessions.map((one) => [one.session, one.state])).toEqual([
    ["s1", "working"],
    ["s3", "idle"],
  ]);
  expect(state.decisions.map((one) => one.decision)).toEqual(["d2"]);
  expect(state).toMatchObject({ reset: true, caughtUp: true, position: "p.9", removed: ["s2", "s4"] });
  expect(state.closed).toEqual([{ session: "s1", decision: "d1" }]);
});

test("a frame that begins again replaces all that frames before it had", async () => {
  const first = {
    reset: true,
    sessions: [view("s1")],
    removed: ["s9"],
    decisions: [decision("d1")],
    closed: [decision("d9")],
  };
  const again = { reset: true, sessions: [view("s2")] };
  const state = await readCurrentOverview(
    toFrames([...Array.from({ length: 400 }, () => first), again, { caughtUp: true }]),
  );
  expect(state).toMatchObject({ reset: true, removed: [], decisions: [], closed: [] });
  expect(state.sessions.map((one) => one.session)).toEqual(["s2"]);
});

test("other work of the process gets its turn between two frames", async () => {
  let turns = 0;
  const finished = new AbortController();
  const counting = (async () => {
    for (; !finished.signal.aborted; turns += 1) await nextTurn();
  })();
  await readCurrentOverview(toFrames([...Array.from({ length: 400 }, () => ({})), { caughtUp: true }]));
  finished.abort();
  await counting;
  expect(turns).toBeGreaterThanOrEqual(400);
});

/** Serves an overview of the test instead of the server's. */
async function serveOverview(
  server: TestServer,
  overview: (options?: OverviewOptions) => AsyncIterable<OverviewFrame>,
) {
  const fairlead: Fairlead = { ...server.fairlead, overview };
  const { url } = await server.serve({ port: 0, fairlead });
  const token = await server.tokens.issue({ label: "page", scopes: ["read"] });
  return { url: url ?? "", headers: { authorization: `Bearer ${token}` } };
}

test("stops reading when the client of a request leaves", async () => {
  await using server = await TestServer.open();
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const { url, headers } = await serveOverview(server, async function* ({ signal } = {}) {
    signal?.addEventListener("abort", () => aborted.resolve());
    yield empty;
    started.resolve();
    await aborted.promise;
  });
  const leaving = new AbortController();
  const answer = expect(fetch(`${url}/v1/overview`, { headers, signal: leaving.signal })).rejects.toThrow("aborted");
  await started.promise;
  leaving.abort();
  await answer;
  await aborted.promise;
});

test("an overview that ends does not say that a session has ended", async () => {
  await using server = await TestServer.open();
  const { url, headers } = await serveOverview(server, () => toFrames([{ caughtUp: true }]));
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/overview`, ["fairlead.v1"], { headers });
  const closed = await new Promise((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  expect(closed).toEqual({ code: 1000, reason: "The overview has ended." });
});
