import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { StreamedText, type Delta } from "@fairlead/contract";

type ChunkKind = "text" | "reasoning";
const updateTypes = { text: "agent_message_chunk", reasoning: "agent_thought_chunk" } as const;

/** Streams text deltas as chunks. When the complete text arrives, it sends only the part that was not streamed. */
export class ChunkStreamer {
  readonly #streamed: Readonly<Record<ChunkKind, StreamedText>> = {
    text: new StreamedText(),
    reasoning: new StreamedText(),
  };
  /** The kind of the previous chunk; null after any other update. */
  #previousKind: ChunkKind | null = null;

  onDelta({ type, text, parent }: Delta): SessionUpdate[] {
    if (type === "screen" || parent !== undefined) return [];
    const kind = type === "text.delta" ? "text" : "reasoning";
    const isFirst = this.#streamed[kind].isNew;
    return this.#chunk(kind, this.#streamed[kind].append(text), isFirst);
  }

  /** `isLast` is false for a part of a text that more parts follow. */
  onComplete(kind: ChunkKind, text: string, isLast = true): SessionUpdate[] {
    const streamed = this.#streamed[kind];
    const { deltas, isNew } = streamed;
    // Deltas may be lost, events are not. If the first deltas were lost, the whole text is sent again.
    const rest = streamed.end(text, isLast);
    // The adapter retried the model request in the middle of the text.
    if (rest.isRepeat && isLast && deltas.endsWith(text)) return [];
    return this.#chunk(kind, rest.text, isNew || rest.isRepeat);
  }

  /** Records that an update of another kind was sent. */
  onOtherUpdate(): void {
    this.#previousKind = null;
  }

  /** Discards the streamed part of a text that the turn did not complete. */
  onTurnEnded(): void {
    this.onOtherUpdate();
    this.#streamed.text.clear();
    this.#streamed.reasoning.clear();
  }

  /** The protocol has no end of a text, so two consecutive texts are separated as paragraphs. */
  #chunk(kind: ChunkKind, text: string, isFirst: boolean): SessionUpdate[] {
    if (text === "") return [];
    const separator = isFirst && this.#previousKind === kind ? "\n\n" : "";
    this.#previousKind = kind;
    return [{ sessionUpdate: updateTypes[kind], content: { type: "text", text: separator + text } }];
  }
}
