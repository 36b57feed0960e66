import { appendText, endText, noPartialText } from "../partial-text.ts";
import type { AcpWriter } from "./acp-state.ts";
import type { AcpMessageChunk } from "./wire.ts";

/** Writes a delta, and collects the text for the `text.ended` or `reasoning.ended` that follows. */
export function appendChunk(
  writer: AcpWriter,
  { sessionUpdate, messageId, content }: AcpMessageChunk,
  prefix = "",
): void {
  const kind = sessionUpdate === "agent_message_chunk" ? "text" : "reasoning";
  const message = messageId ?? null;
  const previous = writer.state.partialMessage;
  if (previous !== null && (previous.kind !== kind || previous.message !== message)) flushPartialMessage(writer);
  const { partialMessage } = writer.state;
  const hasPrefix = kind === "reasoning" && prefix !== "" && content.text.startsWith(prefix);
  const text = hasPrefix ? content.text.slice(prefix.length) : content.text;
  writer.set({ partialMessage: { kind, message, ...appendText(writer, partialMessage ?? noPartialText, text, kind) } });
}

/** Writes the collected text as an event. */
export function flushPartialMessage(writer: AcpWriter): void {
  const { partialMessage } = writer.state;
  if (partialMessage === null) return;
  writer.set({ partialMessage: null });
  endText(writer, partialMessage, partialMessage.kind);
}
