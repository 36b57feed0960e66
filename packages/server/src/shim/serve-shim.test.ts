import { existsSync } from "node:fs";
import { join } from "node:path";
import { Checkpoint } from "@fairlead/api";
import { describe, expect, test } from "vitest";
import { askRaw } from "../http/ask-raw.ts";
import { brief, ShimForTest } from "./shim-for-test.ts";

const script = (...steps: object[]) => ({ ...brief, providerConfig: { fairlead: { script: steps } } });
const write = { tools: [{ name: "write", input: { path: "a.ts", content: "x" } }] };
const approve = { type: "tool_approval", action: "approve" };
const question = (text: string) => ({ text, options: [{ label: "Yes" }, { label: "No" }], several: false });

describe("the mock", () => {
  test("tells of a run in every kind of event that goes well, numbered from 1, the same to everybody", async () => {
    await using shim = await ShimForTest.open();
    const early = shim.eventsUntil(({ type }) => type === "completion"); // nobody has been started yet
    const { status, reply } = await shim.ask("/spawn", brief);
    expect(status).toBe(200);
    expect(reply).toEqual({
      id: "agent-1",
      pluginName: "mock",
      status: "running",
      sessionId: expect.any(String) as string,
    });
    const events = await shim.play();
    expect(events.map(({ sourceSequence }) => sourceSequence)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map(({ sourceEventId }) => sourceEventId)).size).toBe(events.length);
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(1);
    expect(await early).toEqual(events);

    const told = events.map(({ event }) => event);
    const kinds = new Set(told.map(({ type, ...rest }) => ("subtype" in rest ? `${type} ${rest.subtype}` : type)));
    expect([...kinds].toSorted()).toEqual([
      "artifact",
      "completion",
      "decision option",
      "decision tool_approval",
      "lifecycle",
      "progress",
      "status",
      "tool_call",
    ]);
    const phases = told.flatMap((event) => (event.type === "tool_call" ? `${event.toolName} ${event.phase}` : []));
    const each = (tool: string, end: string): string[] =>
      ["requested", "running", end].map((phase) => `${tool} ${phase}`);
    expect(phases).toEqual([...each("write", "completed"), ...each("ask", "completed"), ...each("run", "failed")]);
    const artifact = told.find((event) => event.type === "artifact");
    expect(artifact).toMatchObject({ name: "greeting.ts", kind: "code", workstream: "greetings", agentId: "agent-1" });
    expect(existsSync(new URL(artifact?.uri ?? ""))).toBe(true);
    expect(told.at(-1)).toMatchObject({ outcome: "success", artifactsProduced: [artifact?.artifactId] });
    expect(
      told.find((event) => event.type === "tool_call" && event.toolName === "ask" && event.phase === "completed"),
    ).toMatchObject({
      output: '{"How should it sound?":"Formal"}',
    });
    const part = await shim.eventsUntil(({ type }) => type === "completion", "?after=5");
    expect(part).toEqual(events.slice(5));
    expect((await shim.ask("/health")).reply).toMatchObject({ status: "healthy", agentStatus: "completed" });
  });

  test("a failure is an error and a partial completion, and a death is a crash", async () => {
    await using shim = await ShimForTest.open();
    await shim.ask("/spawn", script(write, { error: { status: 529 } }));
    const failed = await shim.play();
    expect(failed.find(({ event }) => event.type === "error")?.event).toMatchObject({
      category: "provider",
      recoverable: true,
    });
    expect(failed.at(-1)?.event).toMatchObject({ type: "completion", outcome: "partial" });
    expect((await shim.ask("/health")).reply).toMatchObject({ agentStatus: "error" });

    const crash = { tools: [{ name: "run", input: { command: "kill -9 $PPID" } }] };
    await shim.ask("/spawn", script(crash));
    const asked = (await shim.eventsUntil(({ type }) => type === "decision")).at(-1)?.event;
    await shim.ask("/resolve", { decisionId: asked?.type === "decision" ? asked.decisionId : "", resolution: approve });
    const crashed = await shim.eventsUntil((event) => event.type === "lifecycle" && event.action === "crashed");
    expect(crashed[0]?.runId).not.toBe(failed[0]?.runId);
    // Whoever comes back for the run before hears its end first, and then the next.
    const both = await shim.eventsUntil(
      (event) => event.type === "lifecycle" && event.action === "crashed",
      `?run=${failed[0]?.runId}&after=${failed.length}`,
    );
    expect(both[0]).toMatchObject({ runId: failed[0]?.runId, event: { type: "lifecycle", action: "killed" } });
    expect(both.slice(1)).toEqual(crashed);
  });
});

describe("decisions", () => {
  test("one that was never asked is not found, and one that was resolved is refused", async () => {
    await using shim = await ShimForTest.open();
    expect((await shim.ask("/resolve", { decisionId: "x", resolution: approve })).status).toBe(404);
    await shim.ask("/spawn", script(write));
    const asked = (await shim.eventsUntil(({ type }) => type === "decision")).at(-1)?.event;
    const decisionId = asked?.type === "decision" ? asked.decisionId : "";
    expect((await shim.ask("/resolve", { decisionId: "x", resolution: approve })).status).toBe(404);
    expect(
      (await shim.ask("/resolve", { decisionId, resolution: { type: "tool_approval", action: "perhaps" } })).status,
    ).toBe(400);
    const reject = { type: "tool_approval", action: "reject", rationale: "Not there." };
    expect((await shim.ask("/resolve", { decisionId, resolution: reject })).reply).toEqual({
      status: "resolved",
      decisionId,
    });
    const events = await shim.eventsUntil(({ type }) => type === "completion");
    const last = events.findLast(({ event }) => event.type === "tool_call")?.event;
    expect(last).toMatchObject({ phase: "failed", output: "Not there.", approved: false });
    expect((await shim.ask("/resolve", { decisionId, resolution: approve })).status).toBe(409);
    expect(existsSync(join(shim.workspace, "a.ts"))).toBe(false);
  });

  test("several questions at once are as many decisions, and answered together", async () => {
    await using shim = await ShimForTest.open();
    const ask = { name: "ask", input: { questions: [question("One?"), question("Two?")] } };
    await shim.ask("/spawn", script({ tools: [ask] }));
    const isSecond = (event: { type: string }): boolean => "title" in event && event.title === "Two?";
    const events = await shim.eventsUntil(isSecond);
    const asked = events.flatMap(({ event }) => (event.type === "decision" ? [event.decisionId] : []));
    expect(asked).toHaveLength(2);
    const choose = (decisionId: string, chosenOptionId: string) =>
      shim.ask("/resolve", { decisionId, resolution: { type: "option", chosenOptionId } });
    expect((await choose(asked[0]!, "option-9")).status).toBe(400);
    expect((await choose(asked[0]!, "option-2")).status).toBe(200);
    expect((await choose(asked[0]!, "option-1")).status).toBe(409);
    expect((await shim.ask("/health")).reply).toMatchObject({ agentStatus: "waiting_on_human" });
    expect((await choose(asked[1]!, "Yes")).status).toBe(200);
    const done = await shim.eventsUntil(({ type }) => type === "completion");
    const output = done.flatMap(({ event }) =>
      event.type === "tool_call" && event.output !== null ? [event.output] : [],
    );
    expect(output).toEqual(['{"One?":"No","Two?":"Yes"}']);
  });
});

describe("what is written down", () => {
  test("a paused agent is taken up by a new process where it was, under the same numbers", async () => {
    await using shim = await ShimForTest.open();
    await shim.ask("/spawn", brief);
    const before = await shim.eventsUntil(({ type }) => type === "decision");
    const { reply: state, status } = await shim.ask("/pause");
    expect(status).toBe(200);
    expect(state).toMatchObject({ agentId: "agent-1", serializedBy: "pause", pendingDecisionIds: [] });
    expect(state.checkpoint).toMatchObject({ sdk: "mock", scriptPosition: 2 });
    expect(Checkpoint.parse(state.checkpoint.stateSnapshot)).toMatchObject({
      session: state.sessionId,
      state: "paused",
    });
    expect((await shim.ask("/health")).reply).toMatchObject({ agentStatus: "paused" });
    const paused = await shim.eventsUntil((event) => event.type === "lifecycle" && event.action === "paused");
    expect(paused).toHaveLength(state.lastSequence);
    expect(paused.map(({ event }) => event.type)).not.toContain("completion");

    await shim.restart();
    expect((await shim.ask("/pause")).status).toBe(404);
    const { reply: handle } = await shim.ask("/resume", state);
    expect(handle).toMatchObject({ id: "agent-1", sessionId: state.sessionId });
    const events = await shim.play(state.lastSequence);
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.slice(0, paused.length)).toEqual(paused);
    const actions = events.flatMap(({ event }) => (event.type === "lifecycle" ? [event.action] : []));
    expect(actions).toEqual(["started", "paused", "resumed"]);
    expect(events.at(-1)?.event).toMatchObject({ outcome: "success" });
    // What was said before the pause is not said again.
    const said = events.flatMap(({ event }) =>
      event.type === "status" && event.message.startsWith("I will") ? [1] : [],
    );
    expect(said).toHaveLength(1);
  });

  test("a killed agent was abandoned, and can be taken up as another run", async () => {
    await using shim = await ShimForTest.open();
    await shim.ask("/spawn", brief);
    await shim.eventsUntil(({ type }) => type === "decision");
    expect((await shim.ask("/spawn", brief)).status).toBe(409);
    const { reply } = await shim.ask("/kill", { grace: true });
    expect(reply).toMatchObject({ artifactsExtracted: 0, cleanShutdown: true, state: { serializedBy: "kill_grace" } });
    const killed = await shim.eventsUntil((event) => event.type === "lifecycle" && event.action === "killed");
    expect(killed.at(-2)?.event).toMatchObject({ type: "completion", outcome: "abandoned" });
    const { reply: handle } = await shim.ask("/resume", reply.state);
    expect(handle.sessionId).not.toBe(reply.state.sessionId);
    expect((await shim.play()).at(-1)?.event).toMatchObject({ outcome: "success" });
    expect((await shim.ask("/kill", { grace: false })).reply).toEqual({
      state: null,
      artifactsExtracted: 1,
      cleanShutdown: true,
    });
  });

  test("a checkpoint stops nothing, and what is injected is told with the next message", async () => {
    await using shim = await ShimForTest.open();
    expect((await shim.ask("/inject-context", { content: "x" })).status).toBe(404);
    await shim.ask("/spawn", brief);
    const asked = (await shim.eventsUntil(({ type }) => type === "decision")).at(-1)?.event;
    const decisionId = asked?.type === "decision" ? asked.decisionId : "";
    const { reply } = await shim.ask("/checkpoint", { decisionId });
    expect(reply).toMatchObject({ serializedBy: "decision_checkpoint", pendingDecisionIds: [decisionId] });
    expect((await shim.ask("/checkpoint", { decisionId: "never" })).status).toBe(404);
    expect((await shim.ask("/inject-context", { content: "The sky is green." })).reply).toEqual({ status: "accepted" });
    expect((await shim.ask("/update-brief", { role: "Critic" })).reply).toEqual({ status: "accepted" });
    expect((await shim.ask("/update-brief", { description: 7 })).status).toBe(400);
    const { reply: state } = await shim.ask("/pause");
    expect(state.checkpoint.stateSnapshot.injected).toEqual([
      "The sky is green.",
      expect.stringContaining("role: Critic"),
    ]);
    expect(state.briefSnapshot.role).toBe("Critic");
    await shim.ask("/resume", state);
    await shim.play(state.lastSequence);
    const { reply: after } = await shim.ask("/checkpoint", {});
    expect(after.checkpoint.stateSnapshot.injected).toEqual([]);
  });

  test("a state does not open sessions of other workspaces, nor ones that there are not", async () => {
    await using shim = await ShimForTest.open();
    await shim.ask("/spawn", script({ text: "Hello." }));
    await shim.eventsUntil(({ type }) => type === "completion");
    const { reply: state } = await shim.ask("/pause");
    await shim.restart({ workspace: join(shim.workspace, "h") });
    expect((await shim.ask("/resume", state)).status).toBe(403);
    const { checkpoint: _, ...rest } = state;
    expect((await shim.ask("/resume", { ...rest, sessionId: "zzzz" })).status).toBe(404);
  });
});

describe("who is let in", () => {
  const raw = (port: number, path: string, headers: string[], body = "") =>
    askRaw(port, [`POST ${path} HTTP/1.1`, `Content-Length: ${body.length}`, ...headers, "", body].join("\r\n"));

  test("on loopback only under its own name, from no page, and with JSON alone", async () => {
    await using shim = await ShimForTest.open();
    const port = Number(new URL(shim.url).port);
    const host = `Host: 127.0.0.1:${port}`;
    const json = "Content-Type: application/json";
    const body = JSON.stringify(brief);
    expect((await raw(port, "/spawn", ["Host: evil.example", json], body)).status).toBe(421);
    expect((await raw(port, "/spawn", [host, json, "Origin: http://evil.example"], body)).status).toBe(403);
    expect((await raw(port, "/spawn", [host, json, "Sec-Fetch-Site: cross-site"], body)).status).toBe(403);
    expect((await raw(port, "/spawn", [host, "Content-Type: text/plain"], body)).status).toBe(415);
    expect((await raw(port, "/spawn", [host, json], "{")).status).toBe(400);
    expect((await raw(port, "/nothing", [host])).status).toBe(404);
    expect((await shim.ask("/health")).reply).toMatchObject({ agentStatus: "idle" });
    const upgrade = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ];
    const events = (name: string) => askRaw(port, ["GET /events HTTP/1.1", name, ...upgrade, "", ""].join("\r\n"));
    expect((await events("Host: evil.example")).status).toBe(421);
    expect((await events(host)).status).toBe(101);
    expect((await raw(port, "/spawn", [host, json], body)).status).toBe(200); // the control
  });

  test("elsewhere under any name", async () => {
    await using shim = await ShimForTest.open({ host: "0.0.0.0" });
    const port = Number(new URL(shim.url).port);
    expect((await raw(port, "/kill", ["Host: agent-7.internal"])).status).toBe(404);
  });
});
