import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Delta } from "@fairlead/contract";

type ChunkKind = "text" | "reasoning";
const updateTypes = { text: "agent_message_chunk", reasoning: "agent_thought_chunk" } as const;

/** Streams text deltas as chunks. When the complete text arrives, it sends only the part that was not streamed. */
export class ChunkStreamer {
  /** The streamed part of the text that is not complete yet. */
  readonly #streamed: Record<ChunkKind, string> = { text: "", reasoning: "" };
  /** Whether a part of the text is complete, and more parts follow. */
  readonly #isContinued: Record<ChunkKind, boolean> = { text: false, reasoning: false };
  /** The kind of the previous chunk; null after any other update. */
  #previousKind: ChunkKind | null = null;

  onDelta({ type, text, parent }: Delta): SessionUpdate[] {
    if (type === "screen" || parent !== undefined) return [];
    const kind = type === "text.delta" ? "text" : "reasoning";
    const isFirst = this.#streamed[kind] === "" && !this.#isContinued[kind];
    this.#streamed[kind] += text;
    return this.#chunk(kind, text, isFirst);
  }

  /** `isLast` is false for a part of a text that more parts follow. */
  onComplete(kind: ChunkKind, text: string, isLast = true): SessionUpdate[] {
    const streamed = this.#streamed[kind];
    const isContinued = this.#isContinued[kind];
    this.#streamed[kind] = "";
    this.#isContinued[kind] = !isLast;
    if (streamed.endsWith(text)) return []; // also if the adapter retried the model request in the middle of the text
    // Deltas may be lost, events are not. If the first deltas were lost, the whole text is sent again.
    return text.startsWith(streamed)
      ? this.#chunk(kind, text.slice(streamed.length), streamed === "" && !isContinued)
      : this.#chunk(kind, text, true);
  }

  /** Records that an update of another kind was sent. */
  onOtherUpdate(): void {
    this.#previousKind = null;
  }

  /** Discards the streamed part of a text that the turn did not complete. */
  onTurnEnded(): void {
    this.onOtherUpdate();
    this.#streamed.text = this.#streamed.reasoning = "";
    this.#isContinued.text = this.#isContinued.reasoning = false;
  }

  /** The protocol has no end of a text, so two consecutive texts are separated as paragraphs. */
  #chunk(kind: ChunkKind, text: string, isFirst: boolean): SessionUpdate[] {
    if (text === "") return [];
    const separator = isFirst && this.#previousKind === kind ? "\n\n" : "";
    this.#previousKind = kind;
    return [{ sessionUpdate: updateTypes[kind], content: { type: "text", text: separator + text } }];
  }
}
