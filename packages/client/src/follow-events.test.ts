import type { Delta, Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { Backoff } from "./backoff.ts";
import { ConnectionLost } from "./connection-lost.ts";
import { followEvents } from "./follow-events.ts";
import { ServiceUnavailable } from "./service-unavailable.ts";
import type { Transport } from "./transport.ts";

const delta = (text: string, type: Delta["type"] = "text.delta"): object => ({ delta: { session: "s", type, text } });
const event = (sequence: number, body: object): object => ({ event: { sequence, session: "s", body } });

/** Opens one connection after the other. Each breaks after its frames, except the last one, which ends the session. */
function createTransport(...connections: readonly (readonly object[])[]): Transport {
  const remaining = [...connections];
  return {
    async *open() {
      const frames = remaining.shift() ?? [];
      for (const frame of frames) yield JSON.stringify(frame);
      if (remaining.length > 0) throw new ConnectionLost("The connection was closed.");
    },
  } as unknown as Transport;
}

async function collect(transport: Transport, backoff = new Backoff(10_000)): Promise<string[]> {
  const options = { after: 0, deltas: true, signal: new AbortController().signal };
  const items = await Array.fromAsync(followEvents(transport, backoff, "s", options));
  return items.map((item: Event | Delta) => ("body" in item ? item.body.type : `${item.type} ${item.text}`));
}

test("after a lost connection, leaves out the deltas of the interrupted text, whose end repeats all of it", async () => {
  const transport = createTransport(
    [event(1, { type: "turn.started" }), delta("one "), delta("two ")],
    // The service missed "three " and repeats nothing, or repeats all: the client cannot know.
    [delta("four "), event(2, { type: "text.ended", text: "one two three four " }), delta("next"), delta("more")],
    [delta("repeated"), delta("kept", "screen"), event(3, { type: "turn.ended" }), delta("again")],
    [event(4, { type: "turn.started" }), delta("new"), event(5, { type: "session.ended" })],
  );
  expect(await collect(transport)).toEqual([
    "turn.started",
    "text.delta one ",
    "text.delta two ",
    "text.ended",
    "text.delta next",
    "text.delta more",
    "screen kept",
    "turn.ended",
    "text.delta again",
    "turn.started",
    "text.delta new",
    "session.ended",
  ]);
});

test("leaves out the deltas of an interrupted text until its last part, and those of no other text", async () => {
  const ended = (sequence: number, type: string, rest: object): object => event(sequence, { type, text: "", ...rest });
  const ofAgent = { delta: { type: "text.delta", text: "sub-agent", parent: "c" } };
  const transport = createTransport(
    [event(1, { type: "turn.started" }), delta("one ")],
    // The delta before the first part belongs to the second one in part, so the next delta does not begin a part.
    [
      delta("two th"),
      ended(2, "text.ended", { part: 1 }),
      delta("ree"),
      ended(3, "text.ended", { part: 2, parent: "c", last: true }),
      ofAgent,
      ended(4, "reasoning.ended", {}),
      delta("four"),
      delta("thought", "reasoning.delta"),
      ended(5, "text.ended", { part: 2, last: true }),
      delta("next"),
      event(6, { type: "session.ended" }),
    ],
  );
  expect(await collect(transport)).toEqual([
    "turn.started",
    "text.delta one ",
    "text.ended",
    "text.ended",
    "text.delta sub-agent",
    "reasoning.ended",
    "reasoning.delta thought",
    "text.ended",
    "text.delta next",
    "session.ended",
  ]);
});

const problem = (status: number, code: string, detail: string): object => ({
  problem: { type: `urn:fairlead:problem:${code}`, title: code, status, detail, code },
});
const unavailable = problem(503, "unavailable", "The log cannot be read.");

test("continues after the service was unavailable, and tells once per outage", async () => {
  const transport = createTransport(
    [event(1, { type: "turn.started" }), delta("one "), unavailable],
    [{ caughtUp: 1 }, unavailable],
    [],
    [event(2, { type: "turn.ended" }), unavailable],
    [event(3, { type: "session.ended" })],
  );
  const reasons: string[] = [];
  const backoff = new Backoff(10_000, { onRetry: (reason) => reasons.push(reason) });
  const expected = ["turn.started", "text.delta one ", "turn.ended", "session.ended"];
  expect(await collect(transport, backoff)).toEqual(expected);
  expect(reasons).toEqual(["The log cannot be read.", "The log cannot be read."]);
});

test("tells of a lost connection only if it is not there again at the first attempt", async () => {
  const reasons: string[] = [];
  const backoff = new Backoff(10_000, { onRetry: (reason) => reasons.push(reason) });
  const end = [event(2, { type: "session.ended" })];
  const start = [event(1, { type: "turn.started" })];
  await collect(createTransport(start, end), backoff);
  expect(reasons).toEqual([]);
  await collect(createTransport(start, [], [], end), backoff);
  expect(reasons).toEqual(["The connection was closed."]);
});

test("does not retry another problem", async () => {
  const failed = problem(500, "unavailable", "Internal error.");
  const transport = createTransport(
    [event(1, { type: "turn.started" }), failed],
    [event(2, { type: "session.ended" })],
  );
  await expect(collect(transport)).rejects.toMatchObject({ code: "unavailable", message: "Internal error." });
});

test("an outage that the service reported has its own limit, which accepted connections do not extend", async () => {
  let opened = 0;
  const transport = {
    async *open() {
      // A browser learns nothing of a refused connection, except that it was closed.
      if (++opened % 3 === 0) throw new ConnectionLost("The connection was closed.");
      if (opened % 3 === 1) throw new ServiceUnavailable("The log cannot be read.");
      yield JSON.stringify({ caughtUp: 1 });
      yield JSON.stringify(unavailable);
    },
  } as unknown as Transport;
  const startedAt = performance.now();
  const failing = collect(transport, new Backoff(0, { maxOutageMs: 1000 }));
  await expect(failing).rejects.toMatchObject({ code: "unavailable" });
  expect(opened).toBeGreaterThan(3);
  expect(performance.now() - startedAt).toBeLessThan(1500);
  const lost = createTransport([], [event(1, { type: "session.ended" })]);
  await expect(collect(lost, new Backoff(0, { maxOutageMs: 1000 }))).rejects.toMatchObject({ code: "unavailable" });
});
