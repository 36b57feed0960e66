/** The output of an agent in one turn, as the program would write it. */
export interface AgentStream {
  /** The adapter's id. */
  readonly agent: string;
  /** Flags that the probe found. An adapter may choose its protocol by them. */
  readonly flags?: readonly string[];
  /** Replies to a line that the adapter wrote. */
  reply(line: string): readonly object[];
  /** The lines of one call from its request to the last line before its result. */
  begin(call: number): readonly object[];
  /** The lines that end a call. */
  end(call: number): readonly object[];
  /** The lines that end the turn. */
  finish(): readonly object[];
}

interface RpcRequest {
  readonly id?: number;
  readonly method?: string;
}

/** An agent that speaks the Agent Client Protocol. */
export function acpStream(agent: string): AgentStream {
  let prompt = 0;
  const update = (fields: object): object => ({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: "s", update: fields },
  });
  return {
    agent,
    reply(line) {
      const { id, method } = JSON.parse(line) as RpcRequest;
      if (id === undefined || method === undefined) return [];
      if (method === "session/prompt") prompt = id;
      if (method === "session/prompt") return [];
      const results: Record<string, object> = {
        initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
        "session/new": { sessionId: "s" },
      };
      return [{ jsonrpc: "2.0", id, result: results[method] ?? {} }];
    },
    begin: (call) => [
      update({
        sessionUpdate: "tool_call",
        toolCallId: `c${call}`,
        title: "ls",
        kind: "execute",
        rawInput: { command: "ls" },
      }),
      update({ sessionUpdate: "tool_call_update", toolCallId: `c${call}`, status: "in_progress" }),
    ],
    end: (call) => [
      update({
        sessionUpdate: "tool_call_update",
        toolCallId: `c${call}`,
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: "out" } }],
      }),
    ],
    finish: () => [{ jsonrpc: "2.0", id: prompt, result: { stopReason: "end_turn" } }],
  };
}

/** An agent that speaks stream-json. */
export function streamJsonStream(): AgentStream {
  const init = { type: "system", subtype: "init", session_id: "s", model: "m", cwd: "/", tools: [] };
  return {
    agent: "claude-code",
    reply: (line) => ((JSON.parse(line) as { type: string }).type === "user" ? [init] : []),
    begin: (call) => [
      {
        type: "assistant",
        message: {
          model: "m",
          content: [{ type: "tool_use", id: `c${call}`, name: "Bash", input: { command: "ls" } }],
        },
      },
    ],
    end: (call) => [
      {
        type: "user",
        message: { content: [{ type: "tool_result", tool_use_id: `c${call}`, content: "out", is_error: false }] },
      },
    ],
    finish: () => [{ type: "result", subtype: "success", is_error: false, result: "ok" }],
  };
}

/** An agent that speaks the protocol of an app server: threads, turns and items. */
export function appServerStream(): AgentStream {
  const turn = { id: "t", status: "inProgress" };
  const item = (call: number, more: object): object => ({
    threadId: "s",
    turnId: "t",
    item: { type: "commandExecution", id: `c${call}`, command: "ls", cwd: "/", processId: "1", ...more },
  });
  return {
    agent: "codex",
    flags: ["app-server"],
    reply(line) {
      const { id, method } = JSON.parse(line) as RpcRequest;
      if (id === undefined || method === undefined) return [];
      if (method === "thread/start") return [{ id, result: { thread: { id: "s" }, model: "m", modelProvider: "p" } }];
      if (method !== "turn/start") return [{ id, result: {} }];
      return [
        { id, result: { turn } },
        { method: "turn/started", params: { threadId: "s", turn } },
      ];
    },
    begin: (call) => [{ method: "item/started", params: item(call, { status: "inProgress" }) }],
    end: (call) => [{ method: "item/completed", params: item(call, { status: "completed", aggregatedOutput: "out" }) }],
    finish: () => [{ method: "turn/completed", params: { threadId: "s", turn: { id: "t", status: "completed" } } }],
  };
}
