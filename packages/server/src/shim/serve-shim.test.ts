import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Checkpoint } from "@fairlead/api";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { sendRawRequest } from "@fairlead/testing/server/send-raw-request.ts";
import { testBrief, TestShim } from "@fairlead/testing/server/test-shim.ts";

const script = (...steps: object[]) => ({ ...testBrief, providerConfig: { fairlead: { script: steps } } });
const write = { tools: [{ name: "write", input: { path: "a.ts", content: "x" } }] };
const approve = { type: "tool_approval", action: "approve" };
const question = (text: string) => ({ text, options: [{ label: "Yes" }, { label: "No" }], several: false });

describe("the mock", () => {
  test("reports a run with every kind of successful event, numbered from 1, the same to every client", async () => {
    await using shim = await TestShim.open();
    const earlyClient = shim.eventsUntil(({ type }) => type === "completion"); // before the agent is started
    const { status, reply } = await shim.request("/spawn", testBrief);
    expect(status).toBe(200);
    expect(reply).toEqual({
      id: "agent-1",
      pluginName: "mock",
      status: "running",
      sessionId: expect.any(String) as string,
    });
    const events = await shim.resolveUntilComplete();
    expect(events.map(({ sourceSequence }) => sourceSequence)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map(({ sourceEventId }) => sourceEventId)).size).toBe(events.length);
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(1);
    expect(await earlyClient).toEqual(events);

    const messages = events.map(({ event }) => event);
    const kinds = new Set(messages.map(({ type, ...rest }) => ("subtype" in rest ? `${type} ${rest.subtype}` : type)));
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
    const phases = messages.flatMap((event) => (event.type === "tool_call" ? `${event.toolName} ${event.phase}` : []));
    const phasesOf = (tool: string, end: string): string[] =>
      ["requested", "running", end].map((phase) => `${tool} ${phase}`);
    expect(phases).toEqual([
      ...phasesOf("write", "completed"),
      ...phasesOf("ask", "completed"),
      ...phasesOf("run", "failed"),
    ]);
    const artifact = messages.find((event) => event.type === "artifact");
    expect(artifact).toMatchObject({ name: "greeting.ts", kind: "code", workstream: "greetings", agentId: "agent-1" });
    expect(existsSync(new URL(artifact?.uri ?? ""))).toBe(true);
    expect(messages.at(-1)).toMatchObject({ outcome: "success", artifactsProduced: [artifact?.artifactId] });
    expect(
      messages.find((event) => event.type === "tool_call" && event.toolName === "ask" && event.phase === "completed"),
    ).toMatchObject({
      output: '{"How should it sound?":"Formal"}',
    });
    const part = await shim.eventsUntil(({ type }) => type === "completion", "?after=5");
    expect(part).toEqual(events.slice(5));
    expect((await shim.request("/health")).reply).toMatchObject({ status: "healthy", agentStatus: "completed" });
  });

  test("reports a failure as an error and a partial completion, and a killed process as a crash", async () => {
    await using shim = await TestShim.open();
    await shim.request("/spawn", script(write, { error: { status: 529 } }));
    const failed = await shim.resolveUntilComplete();
    expect(failed.find(({ event }) => event.type === "error")?.event).toMatchObject({
      category: "provider",
      recoverable: true,
    });
    expect(failed.at(-1)?.event).toMatchObject({ type: "completion", outcome: "partial" });
    expect((await shim.request("/health")).reply).toMatchObject({ agentStatus: "error" });

    const crash = { tools: [{ name: "run", input: { command: "kill -9 $PPID" } }] };
    await shim.request("/spawn", script(crash));
    const request = (await shim.eventsUntil(({ type }) => type === "decision")).at(-1)?.event;
    await shim.request("/resolve", {
      decisionId: request?.type === "decision" ? request.decisionId : "",
      resolution: approve,
    });
    const crashed = await shim.eventsUntil((event) => event.type === "lifecycle" && event.action === "crashed");
    expect(crashed[0]?.runId).not.toBe(failed[0]?.runId);
    // A client that reconnects for the previous run gets its end first, and then the next run.
    const both = await shim.eventsUntil(
      (event) => event.type === "lifecycle" && event.action === "crashed",
      `?run=${failed[0]?.runId}&after=${failed.length}`,
    );
    const rest = both.length - crashed.length;
    expect(both.slice(rest)).toEqual(crashed);
    // Files that Fairlead observes after the completion precede the end of the run.
    expect(both[rest - 1]).toMatchObject({ runId: failed[0]?.runId, event: { type: "lifecycle", action: "killed" } });
  });
});

describe("decisions", () => {
  test("an unknown decision is not found, and a resolved one is rejected", async () => {
    await using shim = await TestShim.open();
    expect((await shim.request("/resolve", { decisionId: "x", resolution: approve })).status).toBe(404);
    await shim.request("/spawn", script(write));
    const request = (await shim.eventsUntil(({ type }) => type === "decision")).at(-1)?.event;
    const decisionId = request?.type === "decision" ? request.decisionId : "";
    expect((await shim.request("/resolve", { decisionId: "x", resolution: approve })).status).toBe(404);
    expect(
      (await shim.request("/resolve", { decisionId, resolution: { type: "tool_approval", action: "perhaps" } })).status,
    ).toBe(400);
    const reject = { type: "tool_approval", action: "reject", rationale: "Not there." };
    expect((await shim.request("/resolve", { decisionId, resolution: reject })).reply).toEqual({
      status: "resolved",
      decisionId,
    });
    const events = await shim.eventsUntil(({ type }) => type === "completion");
    const last = events.findLast(({ event }) => event.type === "tool_call")?.event;
    expect(last).toMatchObject({ phase: "failed", output: "Not there.", approved: false });
    expect((await shim.request("/resolve", { decisionId, resolution: approve })).status).toBe(409);
    expect(existsSync(join(shim.workspace, "a.ts"))).toBe(false);
  });

  test("a decision with several questions becomes one per question, and is answered as a whole", async () => {
    await using shim = await TestShim.open();
    const ask = { name: "ask", input: { questions: [question("One?"), question("Two?")] } };
    await shim.request("/spawn", script({ tools: [ask] }));
    const isSecond = (event: { type: string }): boolean => "title" in event && event.title === "Two?";
    const events = await shim.eventsUntil(isSecond);
    const decisionIds = events.flatMap(({ event }) => (event.type === "decision" ? [event.decisionId] : []));
    expect(decisionIds).toHaveLength(2);
    const choose = (decisionId: string, chosenOptionId: string) =>
      shim.request("/resolve", { decisionId, resolution: { type: "option", chosenOptionId } });
    expect((await choose(decisionIds[0]!, "option-9")).status).toBe(400);
    expect((await choose(decisionIds[0]!, "option-2")).status).toBe(200);
    expect((await choose(decisionIds[0]!, "option-1")).status).toBe(409);
    expect((await shim.request("/health")).reply).toMatchObject({ agentStatus: "waiting_on_human" });
    expect((await choose(decisionIds[1]!, "Yes")).status).toBe(200);
    const done = await shim.eventsUntil(({ type }) => type === "completion");
    const output = done.flatMap(({ event }) =>
      event.type === "tool_call" && event.output !== null ? [event.output] : [],
    );
    expect(output).toEqual(['{"One?":"No","Two?":"Yes"}']);
  });
});

describe("a serialized state", () => {
  test("a new process resumes a paused agent where it was, with the same sequences", async () => {
    await using shim = await TestShim.open();
    await shim.request("/spawn", testBrief);
    const before = await shim.eventsUntil(({ type }) => type === "decision");
    const { reply: state, status } = await shim.request("/pause");
    expect(status).toBe(200);
    expect(state).toMatchObject({ agentId: "agent-1", serializedBy: "pause", pendingDecisionIds: [] });
    expect(state.checkpoint).toMatchObject({ sdk: "mock", scriptPosition: 2 });
    expect(Checkpoint.parse(state.checkpoint.stateSnapshot)).toMatchObject({
      session: state.sessionId,
      state: "paused",
    });
    expect((await shim.request("/health")).reply).toMatchObject({ agentStatus: "paused" });
    const paused = await shim.eventsUntil((event) => event.type === "lifecycle" && event.action === "paused");
    expect(paused).toHaveLength(state.lastSequence);
    expect(paused.map(({ event }) => event.type)).not.toContain("completion");

    await shim.restart();
    expect((await shim.request("/pause")).status).toBe(404);
    const { reply: handle } = await shim.request("/resume", state);
    expect(handle).toMatchObject({ id: "agent-1", sessionId: state.sessionId });
    const events = await shim.resolveUntilComplete(state.lastSequence);
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.slice(0, paused.length)).toEqual(paused);
    const actions = events.flatMap(({ event }) => (event.type === "lifecycle" ? [event.action] : []));
    expect(actions).toEqual(["started", "paused", "resumed"]);
    expect(events.at(-1)?.event).toMatchObject({ outcome: "success" });
    // Text from before the pause is not repeated.
    const introductions = events.flatMap(({ event }) =>
      event.type === "status" && event.message.startsWith("I will") ? [1] : [],
    );
    expect(introductions).toHaveLength(1);
  });

  test("a killed agent is reported as abandoned, and can be resumed as another run", async () => {
    await using shim = await TestShim.open();
    // The home of the test is its workspace, and the agent has its own files there.
    writeFileSync(join(shim.workspace, ".gitignore"), "fairlead-scripted/\n");
    await shim.request("/spawn", testBrief);
    await shim.eventsUntil(({ type }) => type === "decision");
    expect((await shim.request("/spawn", testBrief)).status).toBe(409);
    const { reply } = await shim.request("/kill", { grace: true });
    expect(reply).toMatchObject({ artifactsExtracted: 0, cleanShutdown: true, state: { serializedBy: "kill_grace" } });
    const killed = await shim.eventsUntil((event) => event.type === "lifecycle" && event.action === "killed");
    expect(killed.at(-2)?.event).toMatchObject({ type: "completion", outcome: "abandoned" });
    const { reply: handle } = await shim.request("/resume", reply.state);
    expect(handle.sessionId).not.toBe(reply.state.sessionId);
    expect((await shim.resolveUntilComplete()).at(-1)?.event).toMatchObject({ outcome: "success" });
    expect((await shim.request("/kill", { grace: false })).reply).toEqual({
      state: null,
      artifactsExtracted: 1,
      cleanShutdown: true,
    });
  });

  test("a checkpoint does not stop the agent, and context reaches it in its turn, and again after a pause", async () => {
    await using shim = await TestShim.open();
    expect((await shim.request("/inject-context", { content: "x" })).status).toBe(404);
    await shim.request("/spawn", testBrief);
    const request = (await shim.eventsUntil(({ type }) => type === "decision")).at(-1)?.event;
    const decisionId = request?.type === "decision" ? request.decisionId : "";
    const { reply } = await shim.request("/checkpoint", { decisionId });
    expect(reply).toMatchObject({ serializedBy: "decision_checkpoint", pendingDecisionIds: [decisionId] });
    expect((await shim.request("/checkpoint", { decisionId: "never" })).status).toBe(404);
    expect((await shim.request("/inject-context", { content: "The sky is green." })).reply).toEqual({
      status: "accepted",
    });
    await shim.eventsUntil((event) => event.type === "status" && event.message === "Steered: The sky is green.");
    expect((await shim.request("/update-brief", { role: "Critic" })).reply).toEqual({ status: "accepted" });
    await shim.eventsUntil((event) => event.type === "status" && /^Steered: [^]*You are: Critic/.test(event.message));
    expect((await shim.request("/update-brief", { description: 7 })).status).toBe(400);
    const { reply: state } = await shim.request("/pause");
    // The agent may not have read the brief in the turn that was cut off.
    expect(state.checkpoint.stateSnapshot.injected).toEqual([expect.stringContaining("You are: Critic")]);
    expect(state.checkpoint.stateSnapshot.brief?.goal).toContain("You are: Critic");
    expect(state.briefSnapshot.role).toBe("Critic");
    expect((await shim.request("/inject-context", { content: "The sea is red." })).reply).toEqual({
      status: "accepted",
    });
    const { reply: resumed } = await shim.request("/resume", state);
    expect(resumed.status).not.toBe("paused");
    await shim.resolveUntilComplete(state.lastSequence);
    const inputs = await shim.readInputs(resumed.sessionId);
    for (const text of ["The sky is green.", "You are: Critic", "The sea is red."]) {
      expect(inputs[0]).not.toContain(text);
      expect(inputs[1]?.split(text)).toHaveLength(2);
    }
    expect(inputs[0]).toContain("You are: Greeter");
    const { reply: after } = await shim.request("/checkpoint", {});
    expect(after.checkpoint.stateSnapshot.injected).toEqual([]);
  });

  test("a state opens neither a session of another workspace nor an unknown one", async () => {
    await using shim = await TestShim.open();
    await shim.request("/spawn", script({ text: "Hello." }));
    await shim.eventsUntil(({ type }) => type === "completion");
    const { reply: state } = await shim.request("/pause");
    await shim.restart({ workspace: join(shim.workspace, "h") });
    expect((await shim.request("/resume", state)).status).toBe(403);
    const { checkpoint: _, ...rest } = state;
    expect((await shim.request("/resume", { ...rest, sessionId: "zzzz" })).status).toBe(404);
  });
});

describe("permission modes", () => {
  const briefWith = (fairlead: object) => ({ ...testBrief, providerConfig: { fairlead } });
  const unsafeModes = ["accept-edits", "full-auto", "dangerously-skip-permissions"] as const;

  test("a brief cannot select a mode in which the agent does not ask", async () => {
    await using shim = await TestShim.open();
    for (const mode of unsafeModes) {
      const { status, reply } = await shim.request("/spawn", briefWith({ mode }));
      expect({ mode, status }).toEqual({ mode, status: 403 });
      expect(reply).toMatchObject({ detail: expect.stringContaining("may not approve in advance") as string });
    }
    expect((await shim.request("/health")).reply).toMatchObject({ agentStatus: "idle" });
    expect((await shim.request("/spawn", briefWith({ mode: "default" }))).status).toBe(200);
  });

  test("a brief can select the modes that the shim was started with, without other settings", async () => {
    await using shim = await TestShim.open({ allowedModes: ["full-auto"] });
    expect((await shim.request("/spawn", briefWith({ mode: "accept-edits" }))).status).toBe(403);
    const withSettings = briefWith({ mode: "full-auto", settings: { anything: 1 } });
    expect((await shim.request("/spawn", withSettings)).status).toBe(403);
    expect((await shim.request("/spawn", briefWith({ mode: "full-auto" }))).status).toBe(200);
  });

  test("an agent that never asks is started only if the shim was started with all modes", async () => {
    await using shim = await TestShim.open({ mock: false, agent: "shell" });
    expect((await shim.request("/spawn", testBrief)).status).toBe(403);
    await shim.restart({ mock: false, agent: "shell", allowedModes: ["dangerously-skip-permissions"] });
    expect((await shim.request("/spawn", testBrief)).status).toBe(200);
  });

  test("a state cannot resume a session in a mode that a brief cannot select", async () => {
    await using shim = await TestShim.open({ allowedModes: ["full-auto"] });
    const brief = { ...briefWith({ mode: "full-auto", script: [{ text: "Hello." }] }) };
    await shim.request("/spawn", brief);
    await shim.eventsUntil(({ type }) => type === "completion");
    const { reply: state } = await shim.request("/pause");
    await shim.restart();
    expect((await shim.request("/resume", state)).status).toBe(403);
    await shim.restart({ allowedModes: ["full-auto"] });
    expect((await shim.request("/resume", state)).status).toBe(200);
  });
});

describe("access", () => {
  const raw = (port: number, path: string, headers: string[], body = "") =>
    sendRawRequest(
      port,
      [`POST ${path} HTTP/1.1`, `Content-Length: ${body.length}`, ...headers, "", body].join("\r\n"),
    );

  test("on loopback, only requests with the shim's host name, no origin and JSON are accepted", async () => {
    await using shim = await TestShim.open();
    const port = Number(new URL(shim.url).port);
    const host = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${shim.token}`;
    const json = "Content-Type: application/json";
    const body = JSON.stringify(testBrief);
    expect((await raw(port, "/spawn", ["Host: evil.example", json], body)).status).toBe(421);
    expect((await raw(port, "/spawn", [host, json, "Origin: http://evil.example"], body)).status).toBe(403);
    expect((await raw(port, "/spawn", [host, json, "Sec-Fetch-Site: cross-site"], body)).status).toBe(403);
    expect((await raw(port, "/spawn", [host, "Content-Type: text/plain"], body)).status).toBe(415);
    expect((await raw(port, "/spawn", [host, json], "{")).status).toBe(400);
    expect((await raw(port, "/nothing", [host])).status).toBe(404);
    expect((await shim.request("/health")).reply).toMatchObject({ agentStatus: "idle" });
    const upgrade = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ];
    const events = (name: string) =>
      sendRawRequest(port, ["GET /events HTTP/1.1", name, ...upgrade, "", ""].join("\r\n"));
    expect((await events("Host: evil.example")).status).toBe(421);
    expect((await events(host)).status).toBe(101);
    expect((await raw(port, "/spawn", [host, json], body)).status).toBe(200); // control
  });

  test("on other addresses, any host name is accepted, with the token", async () => {
    await using shim = await TestShim.open({ address: { host: "0.0.0.0", port: 0, token: "another-token" } });
    const port = Number(new URL(shim.url).port);
    expect((await raw(port, "/kill", ["Host: agent-7.internal"])).status).toBe(401);
    const authorization = "Authorization: Bearer another-token";
    expect((await raw(port, "/kill", ["Host: agent-7.internal", authorization])).status).toBe(404);
  });

  test("at a port, every endpoint answers 401 without the token", async () => {
    await using shim = await TestShim.open();
    const paths = ["spawn", "kill", "pause", "resume", "resolve", "checkpoint", "inject-context", "update-brief"];
    const routes = [
      ...["health", "events", "nothing"].map((path) => `GET /${path}`),
      ...paths.map((path) => `POST /${path}`),
    ];
    for (const route of routes) {
      const [method = "", path = ""] = route.split(" ");
      for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: `Bearer ${shim.token}x` }]) {
        const response = await fetch(shim.url + path, { method, headers: headers as Record<string, string> });
        expect(`${route}: ${response.status}`).toBe(`${route}: 401`);
        expect(await response.json()).toMatchObject({ detail: expect.stringContaining("fairlead shim") as string });
      }
    }
    const socket = new WebSocket(`${shim.url.replace("http", "ws")}/events`);
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toContain("401");
    expect((await shim.request("/health")).reply).toMatchObject({ agentStatus: "idle" });
  });

  test("an agent cannot resolve its own decision", async () => {
    await using shim = await TestShim.open();
    const body = JSON.stringify({ decisionId: "x", resolution: approve });
    const options = `{method:"POST",headers:{"content-type":"application/json"},body:process.argv[1]}`;
    const code = `fetch("${shim.url}/resolve",${options}).then(({status})=>console.log("answered",status))`;
    const command = `env; '${process.execPath}' -e '${code}' '${body}'`;
    await shim.request("/spawn", script({ tools: [{ name: "run", input: { command } }] }));
    const events = await shim.resolveUntilComplete();
    const outputs = events.flatMap(({ event }) =>
      event.type === "tool_call" && event.output !== null ? [event.output] : [],
    );
    expect(outputs.join("\n")).toContain("answered 401");
    expect(outputs.join("\n")).not.toContain(shim.token);
  });

  test("at a socket, only the owner can connect, and needs no token", async () => {
    const folder = mkdtempSync(join(tmpdir(), "shim-"));
    using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
    const socket = join(folder, "run", "shim.sock");
    await using shim = await TestShim.open({ address: { socket } });
    expect(shim.url).toBe(socket);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    const call = request({ socketPath: socket, path: "/health", headers: { host: "localhost" } }).end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
  });
});
