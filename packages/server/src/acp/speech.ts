import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Delta } from "@fairlead/contract";

type Kind = "text" | "reasoning";
const chunks = { text: "agent_message_chunk", reasoning: "agent_thought_chunk" } as const;

/** Lets words through as they come, and of what was said in the end only what has not come yet. */
export class Speech {
  /** What has come of the piece that is being said. */
  readonly #heard: Record<Kind, string> = { text: "", reasoning: "" };
  /** What the words just before were; null when something else came in between. */
  #before: Kind | null = null;

  delta({ type, text, parent }: Delta): SessionUpdate[] {
    if (type === "screen" || parent !== undefined) return [];
    const kind = type === "text.delta" ? "text" : "reasoning";
    const begins = this.#heard[kind] === "";
    this.#heard[kind] += text;
    return this.#say(kind, text, begins);
  }

  ended(kind: Kind, text: string): SessionUpdate[] {
    const heard = this.#heard[kind];
    this.#heard[kind] = "";
    if (heard.endsWith(text)) return []; // also when the model was asked again in the middle of it
    // Deltas may be missed, facts may not: then it is said again, whole.
    return text.startsWith(heard)
      ? this.#say(kind, text.slice(heard.length), heard === "")
      : this.#say(kind, text, true);
  }

  /** Something else was told. */
  interrupted(): void {
    this.#before = null;
  }

  /** The turn is over; what it broke off in the middle of stays so. */
  over(): void {
    this.interrupted();
    this.#heard.text = this.#heard.reasoning = "";
  }

  /** The protocol has no end of a piece, so two in a row are kept apart as paragraphs. */
  #say(kind: Kind, text: string, begins: boolean): SessionUpdate[] {
    if (text === "") return [];
    const apart = begins && this.#before === kind ? "\n\n" : "";
    this.#before = kind;
    return [{ sessionUpdate: chunks[kind], content: { type: "text", text: apart + text } }];
  }
}
