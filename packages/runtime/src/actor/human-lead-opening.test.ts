import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { Runtime } from "../runtime.ts";
import type { Session } from "../sessions/session.ts";

const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
const size = { columns: 90, rows: 20 };
const codeAndMessage = (error: unknown): unknown[] => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return [code, message];
};

async function openRuntime({ home, environment }: TestHome, changes: Partial<Adapter>): Promise<Runtime> {
  return await Runtime.open({ home, adapters: [{ ...scripted, ...changes }], environment });
}

/** The scripted agent with another program as its own terminal. */
function withTerminal(program: string, args: readonly string[]): Partial<Adapter> {
  const command = { program, args, env: {}, stdin: "terminal" } as const;
  return { terminalCommand: ({ workspace }) => ({ ...command, cwd: workspace }) };
}

async function startSession(testHome: TestHome, runtime: Runtime): Promise<Session> {
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(withScript("Say.", [{ text: "Hello." }]));
  await eventsUntil(session, "turn.ended");
  return session;
}

test.each([
  ["handBack", "not-taken-over", "Another caller handed the lead back."],
  ["end", "session-ended", expect.stringContaining("The session has ended.")],
] as const)("says why a terminal did not open: %s came first", async (name, code, message) => {
  await using testHome = new TestHome();
  const withdrawn = Promise.withResolvers<void>();
  let withdraw = (): void => {};
  // The runtime asks for the transcript when the person leads and the terminal is not open yet.
  const terminalTranscript: NonNullable<Adapter["terminalTranscript"]> = (...args) => {
    withdraw();
    return scripted.terminalTranscript!(...args);
  };
  await using runtime = await openRuntime(testHome, { terminalTranscript });
  const session = await startSession(testHome, runtime);
  withdraw = () => {
    withdraw = () => {};
    withdrawn.resolve(session[name]());
  };
  await expect(session.takeOver(size).catch(codeAndMessage)).resolves.toEqual([code, message]);
  await withdrawn.promise;
});

const ended = (how: string): string => `The agent's terminal has ended: ${how}. The agent leads again.`;
test.each([
  ["opened and ended", "/bin/sh", ["-c", "exit 0"], "not-taken-over", ended("exit code 0")],
  ["opened and failed", "/bin/sh", ["-c", "exit 126"], "not-taken-over", ended("exit code 126")],
  ["could not be opened", "/bin/does-not-exist", [], "not-started", expect.stringContaining("could not be opened")],
])("says of a terminal that it %s", async (_, program, args, code, message) => {
  await using testHome = new TestHome();
  await using runtime = await openRuntime(testHome, withTerminal(program, args));
  const session = await startSession(testHome, runtime);
  await expect(session.takeOver(size).catch(codeAndMessage)).resolves.toEqual([code, message]);
});

test("opens a terminal that prints nothing before it gets a key", async () => {
  await using testHome = new TestHome();
  await using runtime = await openRuntime(testHome, withTerminal("/bin/cat", []));
  const session = await startSession(testHome, runtime);
  const screen = session.screen();
  await session.takeOver(size);
  expect(session.state).toMatchObject({ running: true, desiredState: "take-over" });
  await session.type("typed\r");
  expect((await screen.next()).value).toContain("typed");
  await session.handBack();
});

test("does not blame the terminal if the session is released before it opens", async () => {
  await using testHome = new TestHome();
  const session = await startSession(testHome, await testHome.open());
  const agent = session.agentPid ?? expect.unreachable();
  process.kill(agent, "SIGSTOP"); // the terminal opens after the agent has exited
  const taken = session.takeOver(size).then(() => ["running"], codeAndMessage);
  await expect.poll(() => session.state.desiredState).toBe("take-over");
  await session[Symbol.asyncDispose]();
  process.kill(agent, "SIGCONT");
  await expect(taken).resolves.toEqual(["unavailable", expect.stringContaining("released the session")]);
});
