import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event, PolicyRequest } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";

const use = (tool: string, input: unknown) => ({ name: "use", input: { tool, input } });

/** Starts a session whose agent calls built-in tools. */
async function start(home: ServiceTestHome, calls: readonly object[], policy?: PolicyRequest) {
  const fairlead = await home.openWith({ defaultPolicy: policy !== undefined });
  const prompt = withScript("Go.", [{ tools: calls as never }, { text: "Next." }]);
  const tools = ["report_progress", "ask_person", "produce_artifact"];
  const request = { agent: "scripted", workspace: home.folder, tools, prompt };
  const { session } = await fairlead.start({ ...request, ...(policy && { policy }) });
  return { fairlead, session };
}

const bodies = <Type extends Event["body"]["type"]>(events: readonly Event[], type: Type) =>
  events.flatMap(({ body }) => (body.type === type ? [body as Extract<Event["body"], { type: Type }>] : []));

test("progress is an event of the turn, and nobody is asked about it", async () => {
  await using home = new ServiceTestHome();
  const call = use("report_progress", { text: "Half of it.", percent: 50 });
  const { fairlead, session } = await start(home, [call], { unattended: "wait" });
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(bodies(events, "progress.reported")).toEqual([
    { type: "progress.reported", text: "Half of it.", percent: 50 },
  ]);
  expect(bodies(events, "decision.resolved")).toMatchObject([{ outcome: "allowed", by: { kind: "policy" } }]);
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: true }]);
});

test("a file of the workspace becomes an artifact, and any other path is refused in the same words", async () => {
  await using home = new ServiceTestHome();
  writeFileSync(join(home.folder, "a.test.ts"), "test");
  symlinkSync("/etc/hostname", join(home.folder, "link"));
  const paths = ["a.test.ts", "link", "../../etc/hostname", "/etc/hostname", "missing", "."];
  const { fairlead, session } = await start(
    home,
    paths.map((path) => use("produce_artifact", { path })),
  );
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(bodies(events, "artifact.produced")).toEqual([
    { type: "artifact.produced", path: "a.test.ts", kind: "test", bytes: 4 },
  ]);
  // Tools run at the same time.
  const outputs = bodies(events, "tool.ended").map(({ output }) => output);
  expect(outputs.toSorted((one, other) => one.localeCompare(other))).toEqual(
    [
      "a.test.ts (4 bytes) is recorded as a result.",
      ...paths.slice(1).map((path) => `The workspace has no file ${path}.`),
    ].toSorted((one, other) => one.localeCompare(other)),
  );
});

test.each([undefined, {}])("a person answers a question, with the policy %j", async (policy) => {
  await using home = new ServiceTestHome();
  const call = use("ask_person", { question: "Which color?", options: [{ label: "Red" }, { label: "Blue" }] });
  const { fairlead, session } = await start(home, [call], policy);
  await collectEventsUntil(fairlead, session, "decision.requested");
  const [open] = await fairlead.decisions();
  expect(open).toMatchObject({
    kind: "question",
    title: "Which color?",
    questions: [{ text: "Which color?", multiSelect: false, options: [{ label: "Red" }, { label: "Blue" }] }],
  });
  await fairlead.answer(session, open?.decision ?? "", { type: "choose", answers: { "Which color?": "Blue" } });
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(bodies(events, "decision.resolved")).toMatchObject([{ outcome: "answered", by: { kind: "person" } }]);
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: true, output: "Blue" }]);
});

test("a question that is denied, or interrupted, is not answered, and the agent gets the next message", async () => {
  await using home = new ServiceTestHome();
  const { fairlead, session } = await start(home, [use("ask_person", { question: "May I?" })]);
  await collectEventsUntil(fairlead, session, "decision.requested");
  const [open] = await fairlead.decisions();
  await fairlead.answer(session, open?.decision ?? "", { type: "deny", message: "Decide yourself.", interrupt: false });
  const denied = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(bodies(denied, "tool.ended")).toMatchObject([{ ok: false, output: "Decide yourself." }]);

  const after = denied.at(-1)?.sequence ?? 0;
  await fairlead.send(session, withScript("Again.", [{ tools: [use("ask_person", { question: "May I?" })] as never }]));
  await collectEventsUntil(fairlead, session, "decision.requested", after);
  await fairlead.interrupt(session);
  const interrupted = await collectEventsUntil(fairlead, session, "turn.ended", after);
  expect(bodies(interrupted, "decision.resolved")).toMatchObject([{ outcome: "canceled" }]);
  expect(await fairlead.decisions()).toEqual([]);
});

test("a question without a text is refused in words, and nobody is asked", async () => {
  await using home = new ServiceTestHome();
  const { fairlead, session } = await start(home, [use("ask_person", { question: "" })]);
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(bodies(events, "decision.requested")).toEqual([]);
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: false, output: expect.stringContaining("invalid") }]);
});

test("an open question is answered by the process that follows", async () => {
  await using home = new ServiceTestHome();
  const { fairlead, session } = await start(home, [use("ask_person", { question: "Which?" })]);
  await collectEventsUntil(fairlead, session, "decision.requested");
  await home.close(fairlead);
  const next = await home.open();
  await next.recovery;
  const [open] = await next.decisions();
  await next.answer(session, open?.decision ?? "", { type: "choose", answers: { "Which?": "That one." } });
  const events = await collectEventsUntil(next, session, "turn.ended");
  expect(bodies(events, "tool.ended")).toMatchObject([{ ok: true, output: "That one." }]);
});
