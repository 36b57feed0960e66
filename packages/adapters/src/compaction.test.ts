import type { AgentEvent, Opening } from "@fairlead/contract";
import { expect, test } from "vitest";
import { adapters } from "./index.ts";

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

/** Lines as the programs wrote them in November 2026, shortened: the announcement, and the end of the compaction. */
const item = { type: "contextCompaction", id: "i" };
const lines: Readonly<Record<string, readonly object[]>> = {
  "claude-code": [
    { type: "system", subtype: "status", status: "compacting", session_id: "c" },
    { type: "system", subtype: "status", status: null, session_id: "c" },
    { type: "system", subtype: "compact_boundary", session_id: "c", compact_metadata: { trigger: "auto" } },
  ],
  codex: [
    { method: "item/started", params: { threadId: "th", turnId: "T", item } },
    { method: "item/completed", params: { threadId: "th", turnId: "T", item } },
  ],
};

function observe(agent: string, change: object = {}): AgentEvent[] {
  const adapter = adapters.find(({ manifest }) => manifest.id === agent);
  if (adapter === undefined) throw new Error(`There is no adapter ${agent}.`);
  const { dialect } = adapter.open({ ...opening, agent });
  const initial = dialect.initialState as object;
  let state: unknown = { ...initial, agentSessionId: "th", turnId: "T", current: { turn: "t", text: "" }, ...change };
  return (lines[agent] ?? []).flatMap((line) => {
    const step = dialect.observe(state, { kind: "line", stream: "out", text: JSON.stringify(line) });
    ({ state } = step);
    return step.events ?? [];
  });
}

test.each(Object.keys(lines))("%s announces a compaction once, before it", (agent) => {
  expect(observe(agent)).toEqual([
    { type: "status.reported", level: "info", message: "The agent compacts its context.", announces: "compaction" },
    { type: "context.compacted", trigger: "automatic" },
  ]);
});

test("a compaction of a sub-agent's own thread is not the session's", () => {
  expect(observe("codex", { agentSessionId: "other" })).toEqual([]);
});
