import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, EventOf, PolicyRequest } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { eventsUntil, readJournal, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { describe, expect, test } from "vitest";
import type { Runtime } from "../runtime.ts";
import type { Session } from "../sessions/session.ts";
import type { StartOptions } from "../sessions/start/start-options.ts";

const run = (command: string): object => ({ tools: [{ name: "run", input: { command } }] });

async function start(runtime: Runtime, testHome: TestHome, options: Partial<StartOptions>): Promise<Session> {
  return await runtime.start({ agent: "scripted", workspace: testHome.folder, sandbox: { kind: "none" }, ...options });
}

/** Runs commands in a turn that is expected to end without a person. Returns how each request was resolved. */
async function runAll(
  testHome: TestHome,
  commands: readonly string[],
  options: Partial<StartOptions>,
): Promise<EventOf<"decision.resolved">[]> {
  const runtime = await testHome.open({ defaultPolicy: true });
  const session = await start(runtime, testHome, options);
  await session.send(withScript("Run.", commands.map(run)));
  const bodies = (await eventsUntil(session, "turn.ended")).map(({ body }) => body);
  return bodies.filter((body) => body.type === "decision.resolved");
}

const denyTouch: PolicyRequest = { rules: [{ verdict: "deny", command: "touch", because: "is not wanted here" }] };

describe("a rule answers", () => {
  test.each(["default", "full-auto"] as const)(
    "in the mode %s: it allows, and it denies with its reason",
    async (mode) => {
      await using testHome = new TestHome();
      const allowRun = { verdict: "allow", tool: "run" } as const;
      const policy = { rules: [...(denyTouch.rules ?? []), allowRun] };
      const resolved = await runAll(testHome, ["echo hello", "touch denied.txt"], { mode, policy });
      expect(resolved).toMatchObject([
        { outcome: "allowed", by: { kind: "policy", rule: { source: "the start request", number: 2 } } },
        {
          outcome: "denied",
          by: { kind: "policy", rule: { source: "the start request", number: 1 } },
          message: "`touch` is not wanted here; rule 1 of the start request.",
        },
      ]);
      expect(existsSync(join(testHome.folder, "denied.txt"))).toBe(false);
    },
  );

  test("what is asked about is denied where no person is, and the rule is named", async () => {
    await using testHome = new TestHome();
    const resolved = await runAll(testHome, ["git push"], { mode: "full-auto", policy: { unattended: "deny" } });
    expect(resolved).toMatchObject([
      { outcome: "denied", by: { kind: "unattended", rule: { source: "the default policy", number: 1 } } },
    ]);
  });

  test("what no rule is about is left to the mode", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const session = await start(runtime, testHome, { mode: "full-auto", policy: denyTouch });
    await session.send(withScript("Run.", [run("echo hello")]));
    const [resolved] = (await eventsUntil(session, "turn.ended")).filter(
      ({ body }) => body.type === "decision.resolved",
    );
    expect(resolved?.body).toMatchObject({ outcome: "allowed", by: { kind: "mode" } });
  });
});

describe("a person is asked", () => {
  test("in default about what no rule is about, unless it only reads, if the session has rules of its own", async () => {
    await using testHome = new TestHome();
    writeFileSync(join(testHome.folder, "note.txt"), "note\n");
    const runtime = await testHome.open({ defaultPolicy: true });
    const session = await start(runtime, testHome, { mode: "default", policy: denyTouch });
    await session.send(withScript("Run.", ["cat note.txt", "touch denied.txt", "rm note.txt"].map(run)));
    const isAsked = (one: AgentEvent): boolean =>
      one.type === "decision.requested" && one.reading?.commands[0] === "rm note.txt";
    for await (const item of session.stream(0)) if ("body" in item && isAsked(item.body)) break;
    const bodies = (await readJournal(runtime, session.id)).map(({ body }) => body);
    expect(bodies.filter(({ type }) => type === "decision.resolved")).toMatchObject([
      { outcome: "allowed", by: { kind: "mode" } },
      { outcome: "denied", by: { kind: "policy", rule: { source: "the start request", number: 1 } } },
    ]);
    await session.interrupt();
    await eventsUntil(session, "turn.ended");
    // Control: without such rules, the agent asks as it usually does, and a person answers.
    const other = await start(runtime, testHome, { mode: "default" });
    await other.send(withScript("Run.", [run("cat note.txt")]));
    const { body } = (await eventsUntil(other, "decision.requested")).at(-1)!;
    expect((body as EventOf<"decision.requested">).reading).not.toHaveProperty("onlyReads");
    expect(other.state.ledger.decisions.size).toBe(1);
    await other.interrupt();
    await eventsUntil(other, "turn.ended");
  });

  test("in accept-edits about everything but plain edits, though the agent asks about those too", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open({});
    const policy: PolicyRequest = { rules: [{ verdict: "allow", command: "frob" }] };
    const session = await start(runtime, testHome, { mode: "accept-edits", policy });
    const write = (path: string): object => ({ tools: [{ name: "write", input: { path, content: "{}" } }] });
    await session.send(withScript("Write.", [write("a.txt"), write("package.json")]));
    const isSecond = (one: AgentEvent): boolean => one.type === "decision.requested" && one.category === "deps_add";
    for await (const item of session.stream(0)) if ("body" in item && isSecond(item.body)) break;
    const bodies = (await readJournal(runtime, session.id)).map(({ body }) => body);
    expect(bodies.filter(({ type }) => type === "decision.resolved")).toMatchObject([
      { outcome: "allowed", by: { kind: "mode" } },
    ]);
    expect(bodies.filter((body) => body.type === "tool.started")).toMatchObject([{ enforcement: "gated" }]);
    await session.interrupt();
    await eventsUntil(session, "turn.ended");
  });

  test("also in full-auto, once, and is shown how Fairlead reads the call; a restart does not answer", async () => {
    await using testHome = new TestHome();
    const first = await testHome.open({ defaultPolicy: true });
    const { id } = await start(first, testHome, { mode: "full-auto" }).then(async (session) => {
      await session.send(withScript("Run.", [run("echo x && frob 'te'st"), run("echo done")]));
      await eventsUntil(session, "decision.requested");
      return session;
    });
    await first[Symbol.asyncDispose]();
    const next = await testHome.open({ defaultPolicy: true });
    await using session = await next.attach(id);
    const { body } = (await eventsUntil(session, "decision.requested")).at(-1)!;
    const request = body as EventOf<"decision.requested">;
    expect(request).toMatchObject({
      category: "unvetted",
      reading: {
        verdict: "ask",
        reason: "`frob 'te'st` is not on the list of vetted programs; rule 8 of the default policy.",
        commands: ["echo x", "frob test"],
        grants: [{ command: "frob test", categories: ["unvetted"] }],
      },
      digest: expect.stringMatching(/^[\da-f]{64}$/) as string,
    });
    await expect(session.answer(request.decision, { type: "allow", digest: "0" })).rejects.toMatchObject({
      code: "conflict",
    });
    await session.answer(request.decision, { type: "deny", message: "no", interrupt: false, digest: request.digest! });
    const resolved = (await eventsUntil(session, "turn.ended")).filter((one) => one.body.type === "decision.resolved");
    expect(resolved.map((one) => one.body)).toMatchObject([
      { outcome: "denied", by: { kind: "person" } },
      { outcome: "allowed", by: { kind: "policy" } },
    ]);
  });

  test("until the deadline, which counts while no process runs, and then the agent continues", async () => {
    await using testHome = new TestHome();
    const first = await testHome.open({ defaultPolicy: true });
    const started = await start(first, testHome, { policy: { deadlineSeconds: 1 } });
    await started.send(withScript("Run.", [run("git push"), { text: "Done." }]));
    const requested = (await eventsUntil(started, "decision.requested")).at(-1)!;
    const { deadline } = requested.body as EventOf<"decision.requested">;
    expect(Date.parse(deadline!) - Date.parse(requested.occurredAt)).toBe(1000);
    await first[Symbol.asyncDispose]();
    const next = await testHome.open({ defaultPolicy: true });
    await using session = await next.attach(started.id);
    const bodies = (await eventsUntil(session, "turn.ended")).map(({ body }) => body);
    expect(bodies.filter(({ type }) => type === "decision.resolved")).toEqual([
      {
        type: "decision.resolved",
        decision: expect.any(String) as string,
        outcome: "timed-out",
        by: { kind: "deadline" },
        message: "Nobody answered the request before its deadline.",
      },
    ]);
    expect(bodies.find((body) => body.type === "tool.ended")).toMatchObject({ ok: false, reason: "denied" });
    expect(bodies.at(-1)).toMatchObject({ outcome: "completed" });
  });

  test("no longer, for what the person allowed in the session, also after a restart", async () => {
    await using testHome = new TestHome();
    const first = await testHome.open({ defaultPolicy: true });
    const started = await start(first, testHome, {});
    const commands = ["frob test", "frob test --fast", "frob test; git push"];
    await started.send(withScript("Run.", commands.map(run)));
    const { body } = (await eventsUntil(started, "decision.requested")).at(-1)!;
    const { decision } = body as EventOf<"decision.requested">;
    await started.answer(decision, { type: "allow", remember: "session" });
    await first[Symbol.asyncDispose]();
    const next = await testHome.open({ defaultPolicy: true });
    await using session = await next.attach(started.id);
    const isThird = (one: AgentEvent): boolean =>
      one.type === "decision.requested" && (one.reading?.commands.length ?? 0) > 1;
    for await (const item of session.stream(0)) if ("body" in item && isThird(item.body)) break;
    const bodies = (await readJournal(next, session.id)).map((one) => one.body);
    expect(bodies.filter(({ type }) => type === "decision.resolved")).toMatchObject([
      { outcome: "allowed", by: { kind: "person" }, remember: "session" },
      { outcome: "allowed", by: { kind: "policy", rule: { source: "your answers in this session", grant: true } } },
    ]);
    const third = bodies.findLast((one) => one.type === "decision.requested");
    expect(third?.reading?.verdict).toBe("ask");
    await session.interrupt();
    await eventsUntil(session, "turn.ended");
  });

  test("and may not remember what cannot be said in general", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open({ defaultPolicy: true });
    const session = await start(runtime, testHome, {});
    await session.send(withScript("Run.", [run("rm -rf src")]));
    const { body } = (await eventsUntil(session, "decision.requested")).at(-1)!;
    const { decision } = body as EventOf<"decision.requested">;
    const answer = session.answer(decision, { type: "allow", remember: "session" });
    await expect(answer).rejects.toMatchObject({ code: "not-supported", message: expect.stringContaining("once") });
    await expect(session.answer(decision, { type: "allow", option: "x" })).rejects.toMatchObject({
      code: "not-supported",
    });
    await session.answer(decision, { type: "deny", message: "", interrupt: true });
    await eventsUntil(session, "turn.ended");
  });
});

test("the first event shows the sources, and an untrusted workspace is reported", async () => {
  await using testHome = new TestHome();
  writeFileSync(join(testHome.folder, "fairlead.yaml"), "policy:\n  rules:\n    - { verdict: allow, command: frob }\n");
  const runtime = await testHome.open({ defaultPolicy: true });
  const session = await start(runtime, testHome, { policy: denyTouch });
  const [started] = await readJournal(runtime, session.id);
  expect(started?.body).toMatchObject({
    policy: {
      sources: [
        { source: "the start request", rules: 1 },
        { source: "the default policy", rules: 8 },
      ],
      unattended: "wait",
    },
  });
  const warnings = (await readJournal(runtime, session.id)).map(({ body }) => body);
  expect(warnings).toContainEqual(
    expect.objectContaining({ type: "status.reported", message: expect.stringContaining("fairlead.yaml") as string }),
  );
});

describe("an option that the agent remembers", () => {
  const options = [
    { id: "now", label: "Allow it now", scope: "once" },
    { id: "ever", label: "Always allow it", scope: "always" },
  ];
  const steps = ["touch a", "touch b"].map((command) => ({ ...run(command), options }));

  test("is shown and passed on if a person chooses it", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open({ defaultPolicy: true });
    const session = await start(runtime, testHome, { mode: "default" });
    await session.send(withScript("Run.", steps));
    const { body } = (await eventsUntil(session, "decision.requested")).at(-1)!;
    const request = body as EventOf<"decision.requested">;
    expect(request.options).toEqual(options);
    await session.answer(request.decision, { type: "allow", option: "ever" });
    const bodies = (await eventsUntil(session, "turn.ended")).map((one) => one.body);
    expect(bodies.filter(({ type }) => type === "decision.resolved")).toMatchObject([{ option: "ever" }]);
    expect(bodies.filter((one) => one.type === "tool.started").map(({ enforcement }) => enforcement)).toEqual([
      "gated",
      "observed",
    ]);
  });

  test("is not offered where the agent must ask about every call, nor chosen by rule", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open({ defaultPolicy: true });
    const session = await start(runtime, testHome, { mode: "full-auto" });
    await session.send(withScript("Run.", steps));
    const bodies = (await eventsUntil(session, "turn.ended")).map((one) => one.body);
    const requests = bodies.filter((one) => one.type === "decision.requested");
    expect(requests.map((one) => one.options?.map(({ id }) => id))).toEqual([["now"], ["now"]]);
    expect(bodies.filter((one) => one.type === "decision.resolved").map(({ option }) => option)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("is not offered for what a rule asks about", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open({ defaultPolicy: true });
    const session = await start(runtime, testHome, { mode: "default" });
    await session.send(withScript("Run.", [{ ...run("git push"), options }]));
    const { body } = (await eventsUntil(session, "decision.requested")).at(-1)!;
    const request = body as EventOf<"decision.requested">;
    expect(request.options).toEqual([options[0]]);
    const answer = session.answer(request.decision, { type: "allow", option: "ever" });
    await expect(answer).rejects.toMatchObject({ code: "not-supported" });
    await session.interrupt();
    await eventsUntil(session, "turn.ended");
  });
});
