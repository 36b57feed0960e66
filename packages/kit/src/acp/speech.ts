import type { Writer } from "./state.ts";
import type { Chunk } from "./wire.ts";

/** A piece of text or thinking: a delta now, and part of the whole that is told when something else begins. */
export function chunkHeard(writer: Writer, { sessionUpdate, messageId, content }: Chunk, prefix = ""): void {
  const kind = sessionUpdate === "agent_message_chunk" ? "text" : "reasoning";
  const message = messageId ?? null;
  const before = writer.state.speech;
  if (before !== null && (before.kind !== kind || before.message !== message)) speechOver(writer);
  const { speech } = writer.state;
  const cut = kind === "reasoning" && prefix !== "" && content.text.startsWith(prefix);
  const text = cut ? content.text.slice(prefix.length) : content.text;
  writer.set({ speech: { kind, message, text: (speech?.text ?? "") + text } });
  writer.delta({ type: kind === "text" ? "text.delta" : "reasoning.delta", text });
}

/** What was being said is whole. */
export function speechOver(writer: Writer): void {
  const { speech } = writer.state;
  if (speech === null) return;
  writer.set({ speech: null });
  if (speech.text === "") return;
  writer.event({ type: speech.kind === "text" ? "text.ended" : "reasoning.ended", text: speech.text });
}
