import type { StopReason } from "@agentclientprotocol/sdk";
import { announce, callTool, type Caller } from "./call-tool.ts";
import type { Client } from "./client.ts";
import type { Message } from "./history.ts";
import { leave, type Mode } from "./mode.ts";
import type { Model } from "./model.ts";
import type { Settings } from "./settings.ts";
import { systemPrompt } from "./system-prompt.ts";
import { addTokens, noTokens, type Tokens } from "./tokens.ts";
import { tools } from "./tools.ts";
import { trimHistory } from "./trim-history.ts";
import type { Workspace } from "./workspace.ts";

export interface Turn {
  readonly model: Model;
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly client: Client;
  readonly mode: Mode;
  readonly signal: AbortSignal;
  /** The conversation so far. The turn adds to it, always whole messages, and each call with its result. */
  readonly history: Message[];
  /** Keeps the history. */
  save(): Promise<void>;
}

export interface TurnEnd {
  readonly stopReason: StopReason;
  readonly tokens: Tokens;
}

/** Asks the model, does what it wants done, shows it the results, and so on until it has nothing more to do. */
export async function takeTurn(turn: Turn, text: string): Promise<TurnEnd> {
  const { model, settings, workspace, client, mode, signal, history } = turn;
  const system = await systemPrompt(workspace, settings.systemPrompt);
  const offered = tools.filter((tool) => leave(mode, tool) !== "never");
  const caller: Caller = { tools, client, mode, place: { workspace, signal } };
  let tokens = noTokens;
  const ended = (stopReason: StopReason): TurnEnd => ({ stopReason, tokens });

  history.push({ role: "user", content: text });
  await turn.save();
  for (let step = 1; step <= settings.maxTurns; step += 1) {
    const answer = await model.ask({
      system,
      history: trimHistory(history, settings.historyLimit),
      tools: offered,
      signal,
      hear: (piece) => pass(piece, client),
    });
    tokens = addTokens(tokens, answer.tokens);
    if (signal.aborted) {
      // What was heard of it was said; the calls that it was about to make were not.
      if (answer.text !== "") history.push({ role: "assistant", content: answer.text });
      await turn.save();
      return ended("cancelled");
    }
    const message = answer.whole();
    const calls = message.tool_calls ?? [];
    for (const call of calls) await announce(call, caller);
    const results = await Promise.all(calls.map((call) => callTool(call, caller)));
    history.push(message, ...results);
    await turn.save();
    if (signal.aborted) return ended("cancelled");
    if (calls.length === 0) return ended(stopReasonOf(answer.finish));
  }
  return ended("max_turn_requests");
}

async function pass({ text, thought }: { text: string; thought: string }, client: Client): Promise<void> {
  if (thought) await client.tell({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: thought } });
  if (text) await client.tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
}

function stopReasonOf(finish: string | undefined): StopReason {
  if (finish === "length") return "max_tokens";
  return finish === "content_filter" ? "refusal" : "end_turn";
}
