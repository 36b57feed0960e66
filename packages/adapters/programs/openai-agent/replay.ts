import type { Client } from "./client.ts";
import type { Message } from "./history.ts";

/** Tells a conversation again, as the protocol wants it when one is loaded. */
export async function replay(history: readonly Message[], client: Client): Promise<void> {
  for (const message of history) {
    if (message.role === "tool") {
      const content = [{ type: "content" as const, content: { type: "text" as const, text: message.content } }];
      const toolCallId = message.tool_call_id;
      await client.tell({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", content });
      continue;
    }
    const sessionUpdate = message.role === "user" ? "user_message_chunk" : "agent_message_chunk";
    if (message.content) await client.tell({ sessionUpdate, content: { type: "text", text: message.content } });
    if (message.role === "user") continue;
    for (const { id, function: called } of message.tool_calls ?? []) {
      await client.tell({ sessionUpdate: "tool_call", toolCallId: id, title: called.name, name: called.name });
    }
  }
}
