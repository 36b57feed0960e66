import type { AgentEvent, Dialect, Opening, TokenCounts } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { adapters } from "./index.ts";

/** Lines as the programs wrote them in November 2026, shortened. The recordings have whole transcripts. */
class TerminalReader {
  readonly #dialect: Dialect<unknown>;
  #state: unknown;

  constructor(agent: string, state: object = {}) {
    const adapter = adapters.find(({ manifest }) => manifest.id === agent)!;
    const probeResult = { installed: true, program: agent, version: null, auth: "none" as const, problems: [] };
    const opening: Opening = {
      session: "s",
      name: null,
      agent,
      adapterVersion: "0.1.0",
      workspace: "/workspace",
      mode: "default",
      settings: {},
      probeResult: { ...probeResult, flags: ["--help", "app-server"] },
      continues: null,
    };
    this.#dialect = adapter.open(opening).dialect;
    this.#state = { ...(this.#dialect.initialState as object), ...state };
  }

  get state(): Readonly<Record<string, unknown>> {
    return this.#state as Record<string, unknown>;
  }

  /** Reads lines one part at a time, with the state stored as JSON between them. */
  read(...lines: readonly object[]): AgentEvent[] {
    const parts = [...lines.map((line) => [JSON.stringify(line)]), []];
    return parts.flatMap((part, index) => {
      const isLast = index === parts.length - 1;
      const stored = JSON.parse(JSON.stringify(this.#state)) as unknown;
      expect(stored).toEqual(this.#state);
      const { state, events = [] } = this.#dialect.readTranscript!(stored, { lines: part, isLast });
      this.#state = state;
      return events;
    });
  }

  observe(line: object): AgentEvent[] {
    const { state, events = [] } = this.#dialect.observe(this.#state, {
      kind: "line",
      stream: "out",
      text: JSON.stringify(line),
    });
    this.#state = state;
    return [...events];
  }
}

const brief = (events: readonly AgentEvent[]): unknown[] =>
  events.map((event) => {
    if (event.type === "turn.started") return `> ${event.input}`;
    if (event.type === "turn.ended") return `= ${event.outcome}`;
    if (event.type === "text.ended") return event.text;
    if (event.type === "tool.ended") return `${event.name}: ${event.reason ?? "ok"}: ${event.output}`;
    if (event.type === "usage.reported")
      return [event.tokens.uncached, event.tokens.output, event.cost?.amount ?? null];
    return event.type;
  });

const counts = (uncached: number, output: number): TokenCounts => ({
  uncached,
  cacheRead: 0,
  cacheWrite: 0,
  output,
  reasoning: 0,
});

describe("claude-code", () => {
  const user = (content: unknown, more: object = {}): object => ({ type: "user", message: { content }, ...more });
  const answer = (id: string, content: object[], usage: object, stop = "end_turn"): object => ({
    type: "assistant",
    message: { id, model: "opus", content, stop_reason: stop, usage },
  });
  const said = (text: string): object => ({ type: "text", text });
  const call = { type: "tool_use", id: "c", name: "Bash", input: { command: "make" } };
  const result = (content: string, isError = false): object[] => [
    { type: "tool_result", tool_use_id: "c", content, is_error: isError },
  ];
  const usage = { input_tokens: 10, output_tokens: 5 };
  const totals = (inputTokens: number, outputTokens: number, costUSD: number): object => ({
    type: "cost-state",
    modelUsage: {
      opus: { inputTokens, outputTokens, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD },
    },
  });

  test("counts an answer in several lines once, and ignores what is not the conversation", () => {
    const events = new TerminalReader("claude-code").read(
      { type: "mode", mode: "normal" },
      user("Do it."),
      user("<system-reminder>", { isMeta: true }),
      answer("a", [said("First.")], { ...usage, output_tokens: 1 }),
      answer("a", [said("Second.")], usage),
      { ...answer("b", [said("Of a sub-agent.")], usage), isSidechain: true },
      { type: "system", subtype: "turn_duration" },
    );
    expect(brief(events)).toEqual(["> Do it.", "First.", "Second.", [10, 5, null], "= completed"]);
  });

  test("distinguishes calls that were denied, failed and left open", () => {
    const run = (...lines: object[]): unknown[] =>
      brief(new TerminalReader("claude-code").read(user("Go."), answer("a", [call], usage, "tool_use"), ...lines));
    const requested = ["> Go.", "tool.requested"];
    const denied = { toolUseResult: "User rejected tool use", toolDenialKind: "user-rejected" };
    expect(run(user(result("no", true), denied), user([said("[Request interrupted by user for tool use]")]))).toEqual([
      ...requested,
      "Bash: denied: no",
      [10, 5, null],
      "= interrupted",
    ]);
    expect(run(user(result("oh", true)), answer("b", [said("It failed.")], usage))).toEqual([
      ...requested,
      "tool.started",
      "Bash: failed: oh",
      [10, 5, null],
      "It failed.",
      [10, 5, null],
      "= completed",
    ]);
    expect(run()).toEqual([...requested, [10, 5, null], "= interrupted"]);
  });

  test("reports the person's own commands, slash commands, compactions and failures", () => {
    const events = new TerminalReader("claude-code").read(
      user("<bash-input>echo mine</bash-input>"),
      user("<bash-stdout>mine</bash-stdout><bash-stderr>!</bash-stderr>"),
      { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "manual" } },
      user("This session is being continued", { isCompactSummary: true }),
      user("<command-name>/compact</command-name>\n<command-args>keep names</command-args>"),
      user("<local-command-stdout>Compacted</local-command-stdout>"),
      user("Again."),
      {
        type: "assistant",
        isApiErrorMessage: true,
        message: { id: "e", model: "<synthetic>", content: [said("API Error: 529 overloaded")], usage: {} },
      },
      { type: "assistant", message: { id: "bad", content: "not a list" } },
    );
    expect(brief(events)).toEqual([
      "> !echo mine",
      "tool.requested",
      "tool.started",
      "Bash: ok: mine!",
      "context.compacted",
      "= completed",
      "> /compact keep names",
      "= completed",
      "> Again.",
      "error.raised",
      "= failed",
      "unrecognized",
    ]);
  });

  test("adds the cost, and the usage that no message has, from the totals of the conversation", () => {
    const reader = new TerminalReader("claude-code", {
      conversationUsage: [{ model: "opus", tokens: counts(100, 50), cost: 1 }],
    });
    const first = [user("One."), answer("a", [said("1")], usage)];
    expect(brief(reader.read(...first, totals(113, 56, 1.5), totals(113, 56, 1.5)))).toEqual([
      "> One.",
      "1",
      [10, 5, null],
      [3, 1, 0.5],
      "= completed",
    ]);
    // A terminal that was killed writes no totals. The next totals include it, and must not report it again.
    const second = [user("Two."), answer("b", [said("2")], usage)];
    expect(brief(reader.read(...second))).toEqual(["> Two.", "2", [10, 5, null], "= completed"]);
    expect(brief(reader.read(totals(123, 61, 1.75)))).toEqual([[0, 0, 0.25]]);
  });

  test("reports no cost if the totals from before are unknown, and no invalid count", () => {
    const reader = new TerminalReader("claude-code");
    const lines = [user("One."), answer("a", [said("1")], { input_tokens: -1 }), totals(113, 56, 1.5)];
    expect(brief(reader.read(...lines))).toEqual(["> One.", "unrecognized", "1", "= completed"]);
  });

  test("an interrupt of the agent's last turn does not change the terminal's calls", () => {
    const reader = new TerminalReader("claude-code", { interrupting: true });
    const lines = [user("Go."), answer("a", [call], usage), user(result("oh", true))];
    expect(brief(reader.read(...lines))).toContain("Bash: failed: oh");
  });
});

describe.each(["codex", "codex-exec"])("%s", (agent) => {
  const event = (type: string, more: object = {}): object => ({ type: "event_msg", payload: { type, ...more } });
  const item = (type: string, more: object): object =>
    event("item_completed", { item: { type, id: "c", ...more }, thread_id: "t" });
  const response = (type: string, more: object): object => ({
    type: "response_item",
    payload: { type, call_id: "c", ...more },
  });
  const said = (text: string): object => item("AgentMessage", { content: [{ type: "Text", text }] });
  const typed = (text: string): object[] => [
    event("task_started"),
    response("message", { role: "user", call_id: undefined, content: [{ type: "input_text", text }] }),
    item("UserMessage", { content: [{ type: "text", text }] }),
  ];
  const used = (input: number, output: number): object => ({ input_tokens: input, output_tokens: output });
  const usage = (answered: object, total: object): object => ({
    type: "token_usage_record",
    payload: { usage: answered, thread_token_usage: total },
  });

  test("reads messages, reasoning, steering and compactions", () => {
    const events = new TerminalReader(agent).read(
      event("thread_settings_applied"),
      ...typed("Do it."),
      item("Reasoning", { summary_text: ["Hm."] }),
      said("Working."),
      item("UserMessage", { content: [{ type: "text", text: "Faster." }] }),
      said("Done."),
      event("task_complete"),
      event("task_started"),
      response("message", { role: "assistant", call_id: undefined }),
      item("ContextCompaction", {}),
      event("task_complete"),
      ...typed("And then?"),
    );
    expect(brief(events)).toEqual([
      "> Do it.",
      "reasoning.ended",
      "Working.",
      "turn.steered",
      "Done.",
      "= completed",
      "context.compacted",
      "> And then?",
      "= interrupted",
    ]);
  });

  test("reads calls, and what became of them", () => {
    const run = (...lines: object[]): unknown[] => brief(new TerminalReader(agent).read(...typed("Go."), ...lines));
    const command = response("function_call", { name: "exec_command", arguments: '{"cmd":"make"}' });
    const patch = response("custom_tool_call", { name: "apply_patch", input: "*** Begin Patch" });
    const output = (text: string): object => response("function_call_output", { output: text });
    const executed = { command: ["bash", "-lc", "make"], aggregated_output: "made\n" };
    expect(run(command, item("CommandExecution", { ...executed, status: "completed" }), output("made"))).toEqual([
      "> Go.",
      "tool.requested",
      "tool.started",
      "exec_command: ok: made\n",
      "= interrupted",
    ]);
    expect(run(command, item("CommandExecution", { ...executed, status: "declined" }))[2]).toBe(
      "exec_command: denied: made\n",
    );
    expect(run(command, output("Wall time: 8.0 seconds\naborted by user"))[2]).toMatch(/: interrupted: /);
    expect(run(command, output("Process exited with code 2\nOutput:\noh"))[3]).toMatch(/: failed: /);
    const changes = { "/w/a": { type: "add" }, "/w/b": { type: "update" }, "/w/c": { type: "delete" } };
    const reader = new TerminalReader(agent);
    const changed = reader.read(...typed("Go."), patch, item("FileChange", { changes, stdout: "Success" }));
    expect(changed.filter(({ type }) => type === "file.changed")).toMatchObject([
      { path: "/w/a", change: "created" },
      { path: "/w/b", change: "modified" },
      { path: "/w/c", change: "deleted" },
    ]);
  });

  test("reports a command that the person ran", () => {
    const shell = { source: "user_shell", command: ["bash", "-lc", "echo mine"], aggregated_output: "mine\n" };
    const events = new TerminalReader(agent).read(event("task_started"), item("CommandExecution", shell));
    expect(brief(events)).toEqual([
      "> !echo mine",
      "tool.requested",
      "tool.started",
      "exec_command: ok: mine\n",
      "= interrupted",
    ]);
  });

  test("reports usage once, also of a conversation that began before this session", () => {
    const reader = new TerminalReader(agent, { agentSessionId: "t" });
    const lines = [...typed("Go."), usage(used(10, 5), used(110, 55)), usage(used(20, 6), used(130, 61))];
    expect(brief(reader.read(...lines))).toEqual(["> Go.", [10, 5, null], [20, 6, null], "= interrupted"]);
    expect(brief(reader.read(usage(used(1, 1), used(131, 62))))).toEqual([[1, 1, null]]);
  });
});

test("codex continues the totals of the terminal, also with another model", () => {
  const reader = new TerminalReader("codex", {
    agentSessionId: "t",
    provider: "openai",
    model: "one",
    turnId: "1",
    // As a state of an earlier version has it.
    meters: { "t/openai/one": { tokens: counts(100, 50), cost: null } },
  });
  const events = reader.read(
    { type: "turn_context", payload: { model: "two" } },
    {
      type: "token_usage_record",
      payload: {
        usage: { input_tokens: 10, output_tokens: 5 },
        thread_token_usage: { input_tokens: 110, output_tokens: 55 },
      },
    },
  );
  expect(events).toMatchObject([{ model: "two", tokens: counts(10, 5) }]);
  const total = { inputTokens: 117, outputTokens: 58 };
  const params = { threadId: "t", tokenUsage: { total } };
  expect(reader.observe({ method: "thread/tokenUsage/updated", params })).toMatchObject([
    { model: "one", tokens: counts(7, 3) },
  ]);
});

test("codex's transcripts are looked for on the days of the conversation and of the take-over", () => {
  const codex = adapters.find(({ manifest }) => manifest.id === "codex")!;
  const agentSessionId = "01a1e23d-b016-77c0-8bb1-50eac04fd65b"; // 2026-11-16T02:44:16Z
  const conversation = { opening: {} as Opening, agentSessionId, environment: { HOME: "/home/me" } };
  const location = codex.terminalTranscript?.({ ...conversation, since: new Date("2026-11-18T00:00:00Z") });
  expect(location?.folders).toEqual(
    ["15", "16", "17", "18", "19"].map((day) => `/home/me/.codex/sessions/2026/11/${day}`),
  );
  const name = `rollout-2026-11-16T02-44-16-${agentSessionId}.jsonl`;
  expect(location?.fileName.exec(name)?.[1]).toBe(agentSessionId);
  expect(codex.terminalTranscript?.({ ...conversation, agentSessionId: "../x", since: new Date() })).toBeNull();
});
