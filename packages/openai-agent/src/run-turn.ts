import type { StopReason } from "@agentclientprotocol/sdk";
import { announceToolCall, callTool, type ToolCallContext } from "./call-tool.ts";
import type { AgentClient } from "./agent-client.ts";
import type { HistoryMessage } from "./history-message.ts";
import { findPermission, type AgentMode } from "./agent-mode.ts";
import type { ChatModel } from "./chat-model.ts";
import type { OpenAiAgentSettings } from "./settings.ts";
import { buildSystemPrompt } from "./build-system-prompt.ts";
import { addAcpTokenUsage, noTokenUsage, type AcpTokenUsage } from "./acp-token-usage.ts";
import type { AgentTool } from "./tools/agent-tool.ts";
import { createClientTool, type ClientToolOffer } from "./tools/client-tool.ts";
import { listFilesTool, readFileTool } from "./tools/read-tools.ts";
import type { ServerConnections } from "./tools/server-connections.ts";
import { runCommandTool } from "./tools/run-command-tool.ts";
import { writeFileTool } from "./tools/write-file-tool.ts";
import { trimHistory } from "./trim-history.ts";
import type { AgentWorkspace } from "./agent-workspace.ts";

/** All tools of the model. To add one, define it in tools/ and list it here. */
export const agentTools: readonly AgentTool[] = [readFileTool, writeFileTool, listFilesTool, runCommandTool];

export interface AgentTurn {
  readonly model: ChatModel;
  readonly settings: OpenAiAgentSettings;
  readonly workspace: AgentWorkspace;
  readonly client: AgentClient;
  /** The tools that the client runs. */
  readonly clientTools: readonly ClientToolOffer[];
  /** The MCP servers, which may still be starting. */
  readonly servers: ServerConnections;
  readonly mode: AgentMode;
  readonly signal: AbortSignal;
  /** The conversation so far. The turn adds only complete messages, and each call together with its result. */
  readonly history: HistoryMessage[];
  /** Saves the history. */
  save(): Promise<void>;
}

export interface TurnResult {
  readonly stopReason: StopReason;
  readonly tokens: AcpTokenUsage;
}

/** Runs a turn: asks the model, runs its tool calls, returns the results to it, until it makes no more calls. */
export async function runTurn(turn: AgentTurn, text: string): Promise<TurnResult> {
  const { model, settings, workspace, client, mode, signal, history } = turn;
  const servers = await untilAborted(turn.servers.ready, signal);
  if (servers === null) return { stopReason: "cancelled", tokens: noTokenUsage };
  const system = await buildSystemPrompt(workspace, settings.systemPrompt, servers.problems);
  const tools = [...agentTools, ...turn.clientTools.map((offer) => createClientTool(offer, client)), ...servers.tools];
  const availableTools = tools.filter((tool) => findPermission(mode, tool) !== "forbidden");
  const context: ToolCallContext = { tools, client, mode, toolContext: { workspace, signal } };
  let tokens = noTokenUsage;
  const endTurn = (stopReason: StopReason): TurnResult => ({ stopReason, tokens });

  history.push({ role: "user", content: text });
  await turn.save();
  for (let step = 1; step <= settings.maxTurns; step += 1) {
    const answer = await model.ask({
      system,
      history: trimHistory(history, settings.historyLimit),
      tools: availableTools,
      signal,
      onPiece: (piece) => forwardPiece(piece, client),
    });
    tokens = addAcpTokenUsage(tokens, answer.tokens);
    if (signal.aborted) {
      // The client has received the text, so it is part of the history. The calls did not run, so they are not.
      if (answer.text !== "") history.push({ role: "assistant", content: answer.text });
      await turn.save();
      return endTurn("cancelled");
    }
    const message = answer.toMessage();
    const calls = message.tool_calls ?? [];
    for (const call of calls) await announceToolCall(call, context);
    const results = await Promise.all(calls.map((call) => callTool(call, context)));
    history.push(message, ...results);
    await turn.save();
    if (signal.aborted) return endTurn("cancelled");
    if (calls.length === 0) return endTurn(toStopReason(answer.finishReason));
  }
  return endTurn("max_turn_requests");
}

/** Waits for a value. Returns null if the turn is interrupted first. */
async function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const abort = (): void => resolve(null);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([value, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function forwardPiece(
  { text, reasoning }: { text: string; reasoning: string },
  client: AgentClient,
): Promise<void> {
  if (reasoning)
    await client.sendUpdate({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: reasoning } });
  if (text) await client.sendUpdate({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
}

function toStopReason(finishReason: string | undefined): StopReason {
  if (finishReason === "length") return "max_tokens";
  return finishReason === "content_filter" ? "refusal" : "end_turn";
}
