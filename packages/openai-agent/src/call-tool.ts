import type { ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { AgentClient } from "./agent-client.ts";
import type { HistoryToolCall, HistoryMessageOf } from "./history-message.ts";
import { findPermission, type AgentMode } from "./agent-mode.ts";
import type { AgentToolOutcome, AgentToolContext, AgentTool } from "./tools/agent-tool.ts";

const toolKinds: Readonly<Record<AgentTool["effect"], ToolKind>> = {
  reads: "read",
  edits: "edit",
  runs: "execute",
  calls: "other",
  client: "other",
};

export interface ToolCallContext {
  readonly tools: readonly AgentTool[];
  readonly client: AgentClient;
  readonly mode: AgentMode;
  readonly toolContext: Omit<AgentToolContext, "call">;
}

/** Announces a tool call. The turn announces all calls of an answer before it runs any of them. */
export async function announceToolCall(call: HistoryToolCall, { tools, client }: ToolCallContext): Promise<void> {
  const { name } = call.function;
  const tool = tools.find((candidate) => candidate.name === name);
  const rawInput = parseInput(call);
  await client.sendUpdate({
    sessionUpdate: "tool_call",
    toolCallId: call.id,
    title: name,
    name,
    kind: tool ? toolKinds[tool.effect] : "other",
    status: "pending",
    ...(rawInput !== undefined && { rawInput }),
  });
}

/** Runs a tool call if it is allowed. Never rejects for a tool's failure: the API refuses a call without a result. */
export async function callTool(call: HistoryToolCall, context: ToolCallContext): Promise<HistoryMessageOf<"tool">> {
  const { client } = context;
  const toolCallId = call.id;
  const outcome = await runAllowedTool(call, context, () =>
    client.sendUpdate({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" }),
  );
  await client.sendUpdate({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: outcome.ok ? "completed" : "failed",
    content: toContent(outcome),
    rawOutput: outcome.output,
  });
  return { role: "tool", tool_call_id: toolCallId, content: outcome.output };
}

async function runAllowedTool(
  call: HistoryToolCall,
  context: ToolCallContext,
  reportStart: () => Promise<void>,
): Promise<AgentToolOutcome> {
  const { tools, client, mode, toolContext } = context;
  const tool = tools.find((candidate) => candidate.name === call.function.name);
  if (!tool) return refuseCall(`There is no tool ${call.function.name}.`);
  const input = parseInput(call);
  if (input === undefined) return refuseCall("The input is not JSON.");
  if (toolContext.signal.aborted) return refuseCall("The call was interrupted.");
  const permission = findPermission(mode, tool);
  if (permission === "forbidden")
    return refuseCall(`The mode "${mode}" does not allow changes: ${tool.name} was not called.`);
  if (permission === "needs-approval") {
    const title = call.function.name;
    const { answer } = await raceAbort(
      client.requestPermission({ toolCallId: call.id, title, rawInput: input }),
      toolContext.signal,
    );
    if (answer === "no") return refuseCall("The user did not allow this call.");
    if (answer === "cancelled") return refuseCall("The call was interrupted.");
  }
  await reportStart();
  try {
    return await tool.use(input, { ...toolContext, call: call.id });
  } catch (error) {
    return refuseCall(error instanceof Error ? error.message : String(error));
  }
}

function refuseCall(output: string): AgentToolOutcome {
  return { ok: false, output };
}

function parseInput(call: HistoryToolCall): unknown {
  try {
    // Some models send an empty text as the input of a tool without parameters.
    return JSON.parse(call.function.arguments || "{}") as unknown;
  } catch {
    return undefined;
  }
}

function toContent({ output, change }: AgentToolOutcome): ToolCallContent[] {
  const text: ToolCallContent = { type: "content", content: { type: "text", text: output } };
  if (!change) return [text];
  return [text, { type: "diff", path: change.path, oldText: change.before, newText: change.after }];
}

/** Resolves with the answer, or with "cancelled" on an interrupt: the answer may never arrive. */
async function raceAbort<Value>(
  pending: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | { answer: "cancelled" }> {
  const aborted = Promise.withResolvers<{ answer: "cancelled" }>();
  const onAbort = (): void => aborted.resolve({ answer: "cancelled" });
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([pending, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
