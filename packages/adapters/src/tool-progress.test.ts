import { emptyKeyedMap, keyedMap, type AgentEvent, type Opening } from "@fairlead/contract";
import { expect, test } from "vitest";
import { adapters } from "./index.ts";

const call = "call_1";
const opening: Omit<Opening, "agent"> = {
  session: "s",
  name: null,
  adapterVersion: "0.1.0",
  workspace: "/workspace",
  mode: "default",
  settings: {},
  probeResult: {
    installed: true,
    program: "agent",
    version: null,
    auth: "none",
    problems: [],
    flags: ["--help", "app-server"],
  },
  continues: null,
};

/** Lines as the programs wrote them in November 2026, shortened. */
const progress: readonly [string, object, AgentEvent | null][] = [
  [
    "codex",
    { method: "item/commandExecution/outputDelta", params: { threadId: "t", itemId: call, delta: "line 2\n" } },
    { type: "tool.progressed", call, output: "line 2\n" },
  ],
  [
    "codex",
    { method: "item/mcpToolCall/progress", params: { threadId: "t", itemId: call, message: "half" } },
    { type: "tool.progressed", call, output: "half\n" },
  ],
  [
    "claude-code",
    {
      type: "tool_progress",
      tool_use_id: `${call}-heartbeat-0`,
      tool_name: "Bash",
      parent_tool_use_id: call,
      elapsed_time_seconds: 30,
      heartbeat: true,
    },
    { type: "tool.progressed", call, output: "", elapsedSeconds: 30 },
  ],
  [
    "claude-code",
    { type: "tool_progress", tool_use_id: call, tool_name: "Task", parent_tool_use_id: null, elapsed_time_seconds: 2 },
    { type: "tool.progressed", call, output: "", elapsedSeconds: 2 },
  ],
  [
    "claude-code",
    { type: "tool_progress", tool_use_id: `hook-PreToolUse-${call}-heartbeat-0`, parent_tool_use_id: call },
    null,
  ],
];

function observe(agent: string, isOpen: boolean, lines: readonly object[]): AgentEvent[] {
  const adapter = adapters.find(({ manifest }) => manifest.id === agent)!;
  const { dialect } = adapter.open({ ...opening, agent });
  const openCall = { name: "Bash", input: {}, started: false };
  const calls = isOpen ? keyedMap.set(emptyKeyedMap, call, openCall) : emptyKeyedMap;
  let state: unknown = { ...(dialect.initialState as object), calls, current: { turn: "t", text: "" } };
  return lines.flatMap((line) => {
    const step = dialect.observe(state, { kind: "line", stream: "out", text: JSON.stringify(line) });
    ({ state } = step);
    return step.events ?? [];
  });
}

test.each(progress)("%s reports that a call is running: %j", (agent, line, event) => {
  const expected = event === null ? [] : [{ type: "tool.started", call }, event, event];
  expect(observe(agent, true, [line, line])).toEqual(expected);
});

test.each(progress)("%s reports nothing of a call that is not open, and knows the message: %j", (agent, line) => {
  expect(observe(agent, false, [line])).toEqual([]);
});
