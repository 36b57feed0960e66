import type { Observation } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCodexDialect } from "./codex/dialect.ts";
import { listCodexOptions } from "./codex/options.ts";
import { CodexServerRequest, toCodexReply } from "./codex/wire.ts";

const launchCommand = { program: "codex", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;
const approval = { codex_approval_kind: "mcp_tool_call" };

/** Returns the last decision that a turn with these calls of one server and this request asks for. */
function requestDecision(
  calls: readonly [id: string, tool: string, input: object][],
  method: string,
  params: object,
  servers: readonly string[] = [],
) {
  const dialect = createCodexDialect({
    launchCommand,
    threadParams: {},
    continues: null,
    tools: [],
    servers,
    retryDeadline: 60,
  });
  let { state } = dialect.handle(dialect.initialState, { type: "open" });
  const receive = (message: object): unknown => {
    const observation: Observation = { kind: "line", stream: "out", text: JSON.stringify(message) };
    const transition = dialect.observe(state, observation);
    ({ state } = transition);
    return transition.events?.find(({ type }) => type === "decision.requested");
  };
  receive({ id: 1, result: {} });
  receive({ id: 2, result: { thread: { id: "th" }, model: "m", modelProvider: "p" } });
  ({ state } = dialect.handle(state, { type: "send", turn: "t1", text: "x" }));
  const ids = { threadId: "th", turnId: "T" };
  receive({ method: "turn/started", params: { ...ids, turn: { id: "T", status: "inProgress" } } });
  for (const [id, tool, input] of calls) {
    const item = { type: "mcpToolCall", id, server: "db", tool, arguments: input, status: "inProgress" };
    receive({ method: "item/started", params: { ...ids, item } });
  }
  return receive({ id: 7, method, params: { ...ids, ...params } });
}

const requestTool = (calls: Parameters<typeof requestDecision>[0], params?: object): unknown =>
  requestDecision(calls, "mcpServer/elicitation/request", {
    serverName: "db",
    message: "Allow?",
    _meta: { ...approval, ...(params && { tool_params: params }) },
  });

const select = { sql: "select 1" };
const drop = { sql: "drop table users" };

test("an approval of a server's tool shows the input that it allows, and the call with this input", () => {
  expect(requestTool([["A", "query", select]], select)).toMatchObject({ call: "A", tool: "db.query", input: select });
  expect(requestTool([["A", "query", select]])).toMatchObject({ call: "A", tool: "db.query", input: select });
  const both: Parameters<typeof requestTool>[0] = [
    ["A", "query", select],
    ["B", "query", drop],
  ];
  expect(requestTool(both, drop)).toMatchObject({ call: "B", tool: "db.query", input: drop });
  const other = requestTool(both, { sql: "x" });
  expect(other).toMatchObject({ tool: "db", input: { sql: "x" } });
  expect(other).not.toHaveProperty("call");
  expect(requestTool(both)).not.toHaveProperty("call");
});

test("an approval names no call if calls of two tools have its input", () => {
  const decision = requestTool(
    [
      ["A", "read", drop],
      ["B", "write", drop],
    ],
    drop,
  );
  expect(decision).toMatchObject({ tool: "db", input: drop });
  expect(decision).not.toHaveProperty("call");
});

test("an approval of a command that was not announced has its folder", () => {
  const request = { itemId: "unknown", command: "npm test", cwd: "/tmp/evil" };
  const decision = requestDecision([], "item/commandExecution/requestApproval", request);
  expect(decision).toMatchObject({
    input: { command: "npm test", cwd: "/tmp/evil" },
    action: { kind: "run", command: "npm test", folder: "/tmp/evil" },
  });
});

test("decisions that Codex remembers are options, and are passed on as Codex named them", () => {
  const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["npm", "test"] } };
  const availableDecisions = ["accept", "acceptForSession", amendment, { unknown: {} }, "cancel"];
  const params = { itemId: "A", command: "npm test", availableDecisions };
  expect(requestDecision([], "item/commandExecution/requestApproval", params)).toMatchObject({
    options: [
      { id: "acceptForSession", scope: "session" },
      { id: "acceptWithExecpolicyAmendment", label: "Always allow npm test …", scope: "always" },
    ],
  });
  const { decisions } = listCodexOptions(CodexServerRequest.parse(params));
  const pending = { id: 7, method: "item/commandExecution/requestApproval", call: "A", decisions };
  expect(toCodexReply(pending, { type: "allow", option: "acceptWithExecpolicyAmendment" })).toEqual({
    decision: amendment,
  });
  expect(toCodexReply(pending, { type: "allow" })).toEqual({ decision: "accept" });
});

test("a tool of a server that the session was started with has the name that rules use, also among calls with one input", () => {
  const request = (calls: Parameters<typeof requestDecision>[0], message: string): unknown =>
    requestDecision(
      calls,
      "mcpServer/elicitation/request",
      { serverName: "db", message, _meta: { ...approval, tool_params: select } },
      ["db"],
    );
  const both: Parameters<typeof requestTool>[0] = [
    ["A", "query", select],
    ["B", "drop", select],
  ];
  const text = (tool: string): string => `Allow the db MCP server to run tool "${tool}"?`;
  expect(request([["A", "query", select]], "Allow?")).toMatchObject({ call: "A", tool: "mcp__db__query" });
  expect(request(both, text("drop"))).toMatchObject({ call: "B", tool: "mcp__db__drop" });
  expect(request(both, text("query"))).toMatchObject({ call: "A", tool: "mcp__db__query" });
  // Neither is shown as the other: the request is denied.
  expect(request(both, "Allow?")).toBeUndefined();
  expect(request([], "Allow?")).toBeUndefined();
});
