import type { AgentClient } from "./agent-client.ts";
import type { HistoryMessage } from "./history-message.ts";

/** Sends a whole conversation to the client, as the protocol requires for `session/load`. */
export async function replayHistory(history: readonly HistoryMessage[], client: AgentClient): Promise<void> {
  for (const message of history) {
    if (message.role === "tool") {
      const content = [{ type: "content" as const, content: { type: "text" as const, text: message.content } }];
      const toolCallId = message.tool_call_id;
      await client.sendUpdate({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", content });
      continue;
    }
    const sessionUpdate = message.role === "user" ? "user_message_chunk" : "agent_message_chunk";
    if (message.content) await client.sendUpdate({ sessionUpdate, content: { type: "text", text: message.content } });
    if (message.role === "user") continue;
    for (const { id, function: functionCall } of message.tool_calls ?? []) {
      await client.sendUpdate({
        sessionUpdate: "tool_call",
        toolCallId: id,
        title: functionCall.name,
        name: functionCall.name,
      });
    }
  }
}
