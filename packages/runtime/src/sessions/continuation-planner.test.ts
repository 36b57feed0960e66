import { FairleadError, findViolations, type EventOf } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { openSqliteLog } from "@fairlead/journal";
import { initialSessionState } from "@fairlead/reducer";
import { expect, test } from "vitest";
import { createCheckpoint } from "./session-checkpoint.ts";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { writeHistory } from "@fairlead/testing/runtime/write-history.ts";
import { Home } from "../home.ts";
import { Runtime } from "../runtime.ts";
import type { Session } from "./session.ts";

const scriptSaying = (text: string): string => withScript("Say.", [{ text }]);

/** Sends a message and waits for the end of its turn. Returns the input that the agent got. */
async function sendAndReadInput(session: Session, message: string): Promise<string> {
  const after = session.lastSequence;
  await session.send(message);
  const events = await eventsUntil(session, "turn.ended", after);
  return events.flatMap(({ body }) => (body.type === "turn.started" ? body.input : [])).join();
}

async function endAndWait(session: Session): Promise<void> {
  await session.end();
  await eventsUntil(session, "session.ended");
}

test("a fork gets the conversation before it, and then both sessions are independent", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const original = await runtime.start({ agent: "scripted", workspace: testHome.folder, name: "first" });
  await sendAndReadInput(original, scriptSaying("The word is heliotrope."));
  await original.inject("The door is green.");
  const forkedAfter = original.lastSequence;
  const fork = await runtime.fork(original.id, { name: "second", outcome: "rebuilt" });
  await sendAndReadInput(original, scriptSaying("There it is parsnip."));

  const input = await sendAndReadInput(fork, scriptSaying("Here it is marmalade."));
  expect(input).toContain("heliotrope");
  expect(input).toContain("The door is green.");
  expect(input).not.toContain("parsnip");
  expect(await sendAndReadInput(original, scriptSaying("And on."))).toBe(scriptSaying("And on."));
  const events = await eventsUntil(fork, "turn.ended");
  expect(findViolations(events)).toEqual([]);
  expect(events[0]?.body).toMatchObject({
    name: "second",
    continues: { session: original.id, agentSessionId: null, outcome: "rebuilt", fork: true, after: forkedAfter },
  });
  const resumed = events.find(({ body }) => body.type === "session.resumed")?.body as EventOf<"session.resumed">;
  expect(resumed.outcome).toBe("rebuilt");
});

test("a fork is refused if the agent cannot copy its conversation, unless the caller accepts another outcome", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const original = await runtime.start({ agent: "scripted", workspace: testHome.folder, name: "first" });
  await sendAndReadInput(original, scriptSaying("The word is heliotrope."));
  for (const options of [{}, { outcome: "native" as const }, { workspace: "/" }])
    await expect(runtime.fork(original.id, options)).rejects.toSatisfy((error) =>
      FairleadError.is(error, "not-supported"),
    );
  expect(await Array.fromAsync(runtime.list())).toHaveLength(1);
  const fork = await runtime.fork(original.id, { outcome: "fresh" });
  expect(await sendAndReadInput(fork, scriptSaying("Hello."))).toBe(scriptSaying("Hello."));
});

test("an agent that executes each message gets no conversation, neither rebuilt nor injected", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const original = await runtime.start({ agent: "shell", workspace: testHome.folder });
  await sendAndReadInput(original, "echo heliotrope");
  const isUnsupported = (error: unknown): boolean => FairleadError.is(error, "not-supported");
  await expect(original.inject("The door is green.")).rejects.toSatisfy(isUnsupported);
  await expect(runtime.fork(original.id, { outcome: "rebuilt" })).rejects.toSatisfy(isUnsupported);
  await endAndWait(original);
  await expect(runtime.resume(original.id)).rejects.toSatisfy(isUnsupported);
  await expect(runtime.resume(original.id, "rebuilt")).rejects.toSatisfy(isUnsupported);
  expect(await Array.fromAsync(runtime.list())).toHaveLength(1);
  const fresh = await runtime.resume(original.id, "fresh");
  expect(await sendAndReadInput(fresh, "echo hello")).toBe("echo hello");
});

test("a session that continues an ended one keeps its name, if no other open session has it", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const first = await runtime.start({ agent: "scripted", workspace: testHome.folder, name: "greeter" });
  await sendAndReadInput(first, scriptSaying("Hello."));
  await endAndWait(first);
  const second = await runtime.resume(first.id);
  expect((await runtime.summary(second.id)).name).toBe("greeter");
  expect(await runtime.find("greeter")).toBe(second.id);
  // The name belongs to the second session now, which is open.
  const third = await runtime.resume(first.id, "fresh");
  expect((await runtime.summary(third.id)).name).toBeNull();
  expect(await runtime.find("greeter")).toBe(second.id);
});

test("one conversation is continued by one session at a time, and forks of it stay possible", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const first = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await sendAndReadInput(first, scriptSaying("Hello."));
  await endAndWait(first);
  // Both at once: the second must not start before the first is in the index.
  const attempts = await Promise.allSettled([runtime.resume(first.id), runtime.resume(first.id)]);
  const [second] = attempts.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(attempts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const isRefused = (error: unknown): boolean =>
    FairleadError.is(error, "conflict") && (error as Error).message.includes(`fairlead resume ${second!.id} "…"`);
  expect(attempts.find(({ status }) => status === "rejected")).toMatchObject({ reason: expect.toSatisfy(isRefused) });
  expect((await runtime.summary(second!.id)).agentSessionId).toBe((await runtime.summary(first.id)).agentSessionId);
  await expect(runtime.resume(first.id)).rejects.toSatisfy(isRefused);
  await second!.pause();
  await eventsUntil(second!, "session.paused");
  await expect(runtime.resume(first.id)).rejects.toSatisfy(isRefused);

  const fork = await runtime.fork(first.id, { outcome: "rebuilt" });
  expect(await sendAndReadInput(fork, scriptSaying("Here."))).toContain("Here.");
  const resumed = await runtime.resume(second!.id);
  await endAndWait(resumed);
  expect((await runtime.resume(first.id)).id).not.toBe(first.id);
});

test("a paused session is not resumed while another session drives its conversation", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const paused = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await sendAndReadInput(paused, scriptSaying("Hello."));
  const { agentSessionId } = paused.state;
  await paused.pause();
  await eventsUntil(paused, "session.paused");
  const continues = { session: "elsewhere", agentSessionId, outcome: "native", after: 1 } as const;
  await expect(runtime.start({ agent: "scripted", workspace: testHome.folder, continues })).rejects.toSatisfy((error) =>
    FairleadError.is(error, "conflict"),
  );
  const history = { session: "driver", continues: "elsewhere", agentSessionId: agentSessionId! };
  await using journal = await openSqliteLog({ file: testHome.home.journalFile });
  await writeHistory(journal, { ...history, state: "working" });
  await runtime.projections.refresh("driver");
  const isRefused = (error: unknown): boolean =>
    FairleadError.is(error, "conflict") && (error as Error).message.includes("driver");
  await expect(runtime.resume(paused.id)).rejects.toSatisfy(isRefused);
  await writeHistory(journal, { ...history, state: "paused" });
  await runtime.projections.refresh("driver");
  await using resumed = await runtime.resume(paused.id);
  expect(resumed.id).toBe(paused.id);
  await writeHistory(journal, { ...history, state: "ended" });
  await runtime.projections.refresh("driver");
});

test("a fork of a session without messages gets no preamble", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const original = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  const fork = await runtime.fork(original.id, { outcome: "rebuilt" });
  expect(await sendAndReadInput(fork, scriptSaying("Hello."))).toBe(scriptSaying("Hello."));
});

test("a rebuilt conversation includes all sessions that it went through", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const first = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await sendAndReadInput(first, scriptSaying("The word is heliotrope."));
  await endAndWait(first);
  const second = await runtime.resume(first.id);
  await sendAndReadInput(second, scriptSaying("And marmalade."));
  const fork = await runtime.fork(second.id, { outcome: "rebuilt" });
  expect(await sendAndReadInput(fork, scriptSaying("Yes."))).toMatch(/heliotrope.*marmalade/s);
});

test("a checkpoint carries queued messages and their context to another data directory", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await sendAndReadInput(session, scriptSaying("The word is heliotrope."));
  await session.send(withScript("Hang.", [{ hang: true }]));
  await session.inject("The door is green.");
  const messages = [scriptSaying("One."), scriptSaying("Two.")];
  for (const message of messages) await session.send(message);
  await session.pause();
  await eventsUntil(session, "session.paused");
  const checkpoint = createCheckpoint(session.state, session.lastSequence, Date.now());
  expect(checkpoint).toMatchObject({ state: "paused", queued: messages, injected: ["The door is green."] });
  await endAndWait(session);

  const { environment, adapters } = testHome;
  await using otherRuntime = await Runtime.open({ home: new Home(`${testHome.folder}/e`), adapters, environment });
  const restored = await otherRuntime.resumeFrom(checkpoint);
  const inputs: string[] = [];
  for await (const item of restored.stream()) {
    if ("body" in item && item.body.type === "turn.started") inputs.push(item.body.input);
    if ("body" in item && item.body.type === "turn.ended" && inputs.length === messages.length) break;
  }
  expect(inputs).toEqual([expect.stringContaining("The door is green."), messages[1]]);
  expect(inputs[0]).toContain(messages[0]);
  await endAndWait(restored);
});

test("a checkpoint is restored in another data directory if the agent has the conversation", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await sendAndReadInput(session, scriptSaying("The word is heliotrope."));
  await session.inject("The door is green.");
  const checkpoint = createCheckpoint(session.state, session.lastSequence, Date.now());
  expect(checkpoint).toMatchObject({ session: session.id, state: "idle", turn: null, decisions: [] });
  expect(checkpoint).toMatchObject({ sequence: session.lastSequence, injected: ["The door is green."] });
  await endAndWait(session);

  const { environment, adapters } = testHome;
  await using otherRuntime = await Runtime.open({ home: new Home(`${testHome.folder}/e`), adapters, environment });
  const restored = await otherRuntime.resumeFrom(checkpoint);
  expect(await sendAndReadInput(restored, scriptSaying("On."))).toContain("The door is green.");
  const events = await eventsUntil(restored, "turn.ended");
  const resumed = events.find(({ body }) => body.type === "session.resumed");
  expect(resumed?.body).toMatchObject({ outcome: "native", agentSessionId: checkpoint.agentSessionId });
  await endAndWait(restored);

  const unknownConversation = await otherRuntime.resumeFrom({
    ...checkpoint,
    session: "unknown",
    agentSessionId: "no-such-conversation",
  });
  const failedEvents = await eventsUntil(unknownConversation, "session.ended");
  expect(failedEvents.map(({ body }) => body)).toContainEqual(
    expect.objectContaining({ type: "error.raised", category: "session-not-found" }),
  );
  expect(failedEvents.map(({ body }) => body.type)).not.toContain("turn.started");

  const withoutConversation = otherRuntime.resumeFrom({ ...checkpoint, session: "unknown", agentSessionId: null });
  await expect(withoutConversation).rejects.toSatisfy((error) => FairleadError.is(error, "not-supported"));
  for (const agentSessionId of ["--dangerously-skip-permissions", "../other", "a/b", "", "x".repeat(300)]) {
    const unsafe = otherRuntime.resumeFrom({ ...checkpoint, session: "unknown", agentSessionId });
    await expect(unsafe).rejects.toSatisfy((error) => FairleadError.is(error, "invalid-request"));
  }
});

test("a checkpoint resumes its own session if the journal has it", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await sendAndReadInput(session, scriptSaying("Hello."));
  await session.pause();
  await eventsUntil(session, "session.paused");
  const checkpoint = createCheckpoint(session.state, session.lastSequence, Date.now());
  expect(checkpoint.state).toBe("paused");
  await session[Symbol.asyncDispose]();
  expect((await runtime.resumeFrom(checkpoint)).id).toBe(session.id);
});

test("a session that is being started has no checkpoint yet", () => {
  expect(() => createCheckpoint(initialSessionState, 0, Date.now())).toThrow(
    expect.objectContaining({ code: "session-not-found" }) as Error,
  );
});

test("a checkpoint contains the open turn and the open decisions", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  const turn = await session.send(withScript("Run.", [{ tools: [{ name: "run", input: { command: "true" } }] }]));
  const request = (await eventsUntil(session, "decision.requested")).at(-1)?.body as EventOf<"decision.requested">;
  const checkpoint = createCheckpoint(session.state, session.lastSequence, Date.now());
  expect(checkpoint).toMatchObject({ state: "waiting", turn, decisions: [request.decision] });
});
