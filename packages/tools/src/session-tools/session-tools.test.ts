import { execFileSync } from "node:child_process";
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Fairlead, SessionView } from "@fairlead/api";
import type { HostTool, ToolContext, ToolResult } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { createSessionTools } from "./create-session-tools.ts";
import type { SessionToolsOptions, SessionToolsPort } from "./session-tools-options.ts";

/** Calls the tools as an agent in one workspace does. Every call has a key of its own, unless one is given. */
class ToolCaller {
  readonly workspace: string;
  readonly #tools: readonly HostTool[];
  #calls = 0;

  constructor(fairlead: SessionToolsPort, workspace: string, options?: SessionToolsOptions) {
    this.workspace = workspace;
    this.#tools = createSessionTools(fairlead, options);
  }

  async call(name: string, input: object, context: Partial<ToolContext> = {}): Promise<ToolResult> {
    const tool = this.#tools.find(({ offer }) => offer.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    this.#calls += 1;
    const call = `c${this.#calls}`;
    const { signal } = new AbortController();
    return await tool.use(input, {
      session: "p",
      call,
      key: `p/${call}`,
      workspace: this.workspace,
      signal,
      ...context,
    });
  }

  async start(input: object): Promise<string> {
    const { outcome, text } = await this.call("start_session", { agent: "scripted", ...input });
    if (outcome !== "done") throw new Error(text);
    return (JSON.parse(text) as SessionView).session;
  }
}

async function open(options?: SessionToolsOptions) {
  const testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const workspace = join(testHome.folder, "w");
  mkdirSync(workspace);
  const caller = new ToolCaller(fairlead, workspace, options);
  return { testHome, fairlead, caller, workspace, [Symbol.asyncDispose]: () => testHome[Symbol.asyncDispose]() };
}

const say = (text: string): string => withScript("Say it.", [{ text }]);
const asksToRun = withScript("Run it.", [
  { tools: [{ name: "run", input: { command: "touch done" } }] },
  { text: "Ran." },
]);
const hangs = withScript("Hang.", [{ text: "I begin." }, { hang: true }]);

test("the tools have a stable order, and those that change nothing say so", () => {
  const tools = createSessionTools({} as Fairlead);
  expect(tools.map(({ offer: { name, readOnly } }) => [name, readOnly ?? false])).toEqual([
    ["start_session", false],
    ["send", false],
    ["wait", true],
    ["read_diff", true],
    ["list_sessions", true],
    ["stop_session", false],
  ]);
  expect(JSON.stringify(tools[0]?.offer.inputSchema)).not.toMatch(/workspace"|policy|sandbox|limits|settings|tools/);
});

test("starts a session, sends to it, waits for each turn, and stops it", async () => {
  await using opened = await open();
  const { caller, fairlead, workspace } = opened;
  const session = await caller.start({ prompt: say("One."), name: "worker" });
  expect(await fairlead.session(session)).toMatchObject({
    agent: "scripted",
    workspace,
    name: "worker",
    mode: "default",
  });
  const first = await caller.call("wait", { session });
  expect(first).toEqual({
    outcome: "done",
    text: `Session ${session} (worker) is idle. Its last turn: completed.\n\nThe last message of the agent:\nOne.`,
  });
  expect(await caller.call("send", { session: "worker", text: say("Two.") })).toMatchObject({ outcome: "done" });
  expect((await caller.call("wait", { session: "worker" })).text).toContain("Two.");
  expect((await caller.call("list_sessions", {})).text).toContain(session);
  const stopped = await caller.call("stop_session", { session: "worker" });
  expect(stopped).toEqual({ outcome: "done", text: `Session ${session} has ended: stopped.` });
  expect((await caller.call("wait", { session })).text).toContain("has ended: stopped.");
  expect((await caller.call("list_sessions", {})).text).toBe("[]");
  expect((await caller.call("list_sessions", { ended: true })).text).toContain(session);
  expect(await caller.call("send", { session, text: "More." })).toMatchObject({ outcome: "failed" });
});

test("waits for the turn of a brief that was only just given", async () => {
  await using opened = await open();
  const { caller } = opened;
  const session = await caller.start({ brief: { title: "Speak", goal: say("The brief is done.") } });
  expect((await caller.call("wait", { session })).text).toMatch(
    /is idle. Its last turn: completed.*The brief is done/s,
  );
});

test("a repeated call with the same key starts one session, sends one message, and stops once", async () => {
  await using opened = await open();
  const { caller, fairlead } = opened;
  const start = { agent: "scripted", prompt: say("One.") };
  const first = await caller.call("start_session", start, { key: "p/1" });
  expect(await caller.call("start_session", start, { key: "p/1" })).toEqual(first);
  const { session } = JSON.parse(first.text) as SessionView;
  await collectEventsUntil(fairlead, session, "turn.ended");
  const message = { session, text: say("Two.") };
  await caller.call("send", message, { key: "p/2" });
  await caller.call("wait", { session });
  await caller.call("send", message, { key: "p/2" });
  expect(await fairlead.session(session)).toMatchObject({ turns: 2, queued: 0 });
  const stopped = await caller.call("stop_session", { session }, { key: "p/3" });
  expect(await caller.call("stop_session", { session }, { key: "p/3" })).toEqual(stopped);
  expect((await fairlead.sessions()).sessions).toHaveLength(1);
});

test("waits for a person to decide, and says what it is about; a message does not decide it", async () => {
  await using opened = await open();
  const { caller, fairlead } = opened;
  const session = await caller.start({ prompt: asksToRun });
  const { text } = await caller.call("wait", { session });
  const [decision] = await fairlead.decisions();
  expect(text).toContain(
    `Session ${session} waits for a person to decide: ${decision?.title}. Only a person can decide it.`,
  );
  await caller.call("send", { session, text: withScript("approve", [{ text: "Approve what?" }]) });
  expect(await fairlead.decisions()).toHaveLength(1);
  await fairlead.answer(session, decision?.decision ?? "", { type: "allow" });
  expect((await caller.call("wait", { session })).text).toContain("is idle");
});

test("says after the timeout that the agent is still working, and stops waiting when the call is canceled", async () => {
  await using opened = await open();
  const { caller } = opened;
  const session = await caller.start({ prompt: hangs });
  const { text } = await caller.call("wait", { session, timeout_seconds: 0.2 });
  expect(text).toContain("is still working after 0.2 seconds");
  expect((await caller.call("wait", { session, timeout_seconds: 0 })).text).toContain("is still working");
  const abort = new AbortController();
  const waiting = caller.call("wait", { session, timeout_seconds: 600 }, { signal: abort.signal });
  abort.abort();
  expect(await waiting).toEqual({ outcome: "failed", text: "The wait was canceled." });
  expect(await caller.call("wait", { session, timeout_seconds: 601 })).toMatchObject({ outcome: "failed" });
});

test("reads the files and the patch of a session, and cuts a long patch at the stated length", async () => {
  await using opened = await open();
  const { caller, workspace, fairlead } = opened;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: workspace });
  git("init", "-q");
  writeFileSync(join(workspace, "a.txt"), "old\n");
  git("add", ".");
  git("commit", "-qm", "first");
  const session = await caller.start({ prompt: say("Nothing to do.") });
  await caller.call("wait", { session });
  expect((await caller.call("read_diff", { session })).text).toBe(
    "The session changed no file, as far as is known.\n\nThere is no patch: git shows no change.",
  );
  const write = { name: "write", input: { path: "a.txt", content: `new\n${"x".repeat(40_000)}\n` } };
  await caller.call("send", { session, text: withScript("Write.", [{ tools: [write] }]) });
  await caller.call("wait", { session });
  await fairlead.answer(session, (await fairlead.decisions())[0]?.decision ?? "", { type: "allow" });
  await caller.call("wait", { session });
  const { text } = await caller.call("read_diff", { session });
  expect(text).toMatch(/^Changed files \(1\):\n- modified a\.txt\n\nPatch \(\d+ characters\):\ndiff --git/);
  expect(text).toMatch(/-old\n\+new\n\+x+\n\[\d+ more characters are not shown\]$/);
  expect(text.length).toBeLessThan(31_000);
  const rest = await caller.call("read_diff", { session, offset: 30_000 });
  expect(rest.text).toMatch(/characters, from 30000\):\nx+\n$/);
});

test.each([
  ["a mode that approves in advance", { mode: "full-auto" }],
  ["a policy", { policy: { rules: [{ verdict: "allow", tool: "run" }] } }],
  ["limits", { limits: { turns: 1000 } }],
  ["a sandbox", { sandbox: { kind: "none" } }],
  ["settings", { settings: { allowedTools: ["*"] } }],
  ["tools", { tools: ["send"] }],
  ["no approvals", { approvalsRequired: false }],
  ["a workspace", { workspace: "/" }],
  ["an agent that never asks", { agent: "shell" }],
  ["an unknown agent", { agent: "nobody" }],
  ["a prompt and a brief", { brief: { title: "t", goal: "g" } }],
  ["an invalid name", { name: "../x" }],
])("a start with %s is refused in words, and starts nothing", async (_what, input) => {
  await using opened = await open();
  const { caller, fairlead } = opened;
  const result = await caller.call("start_session", { agent: "scripted", prompt: say("x"), ...input });
  expect(result).toEqual({ outcome: "failed", text: expect.stringMatching(/^[A-Z].{20}/s) as string });
  expect((await fairlead.sessions()).sessions).toEqual([]);
});

test("does not send to a session that runs without approvals", async () => {
  await using opened = await open();
  const { caller, fairlead, workspace } = opened;
  const { session } = await fairlead.start({ agent: "scripted", workspace, mode: "full-auto" });
  expect(await caller.call("send", { session, text: asksToRun })).toMatchObject({
    outcome: "failed",
    text: expect.stringContaining("may not approve in advance") as string,
  });
});

test("a host narrows a start, refuses one, and restricts which sessions are used", async () => {
  const own = new Set<string>();
  let fairlead: Fairlead | undefined;
  await using opened = await open({
    takesWorkspace: true,
    mayUse: ({ session }) => (own.has(session) ? null : "This session is not yours."),
    async start(request, { key }) {
      if (fairlead === undefined || own.size > 0) throw new Error("One session is enough.");
      const view = await fairlead.start({ ...request, name: "narrowed" }, { key });
      own.add(view.session);
      return view;
    },
  });
  ({ fairlead } = opened);
  const { caller, workspace } = opened;
  const foreign = await fairlead.start({ agent: "scripted", workspace, name: "foreign" });
  const session = await caller.start({ prompt: say("Mine."), workspace: opened.testHome.folder });
  expect(await fairlead.session(session)).toMatchObject({ name: "narrowed", workspace: opened.testHome.folder });
  const again = await caller.call("start_session", { agent: "scripted", prompt: "x" });
  expect(again).toEqual({ outcome: "failed", text: "One session is enough." });
  for (const name of ["send", "wait", "read_diff", "stop_session"]) {
    for (const reference of [foreign.session, "foreign"]) {
      const input = { session: reference, ...(name === "send" && { text: "x" }) };
      expect(await caller.call(name, input)).toEqual({ outcome: "failed", text: "This session is not yours." });
    }
  }
  expect((await caller.call("list_sessions", {})).text).not.toContain(foreign.session);
  expect(await fairlead.session(foreign.session)).toMatchObject({ state: "idle", turns: 0 });
  expect(await caller.call("wait", { session: "unknown" })).toMatchObject({ outcome: "failed" });
});
