import type { Usage } from "./usage.ts";

/** One answer of the model, as a script writes it. Members may be combined: it thinks, then speaks, then calls tools. */
export interface Step {
  /** What the model thinks before it speaks. */
  readonly think?: string;
  /** What it says. */
  readonly text?: string;
  /** What it calls, all in one answer. */
  readonly tools?: readonly ToolCall[];
  /** Milliseconds before anything is answered. */
  readonly delay?: number;
  /** How many deltas the text is cut into; 3 unless given. */
  readonly chunks?: number;
  /** Milliseconds after each delta; none unless given. */
  readonly chunkDelay?: number;
  /** An HTTP error in place of an answer. */
  readonly error?: Failure;
  /** The stream is opened, then only kept alive, until the client leaves. */
  readonly hang?: true;
  /** The connection is destroyed after the first delta; when the answer is not streamed, in place of it. */
  readonly cut?: true;
  /** Usage to state in place of the lab's own numbers. */
  readonly usage?: Partial<Usage>;
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export interface Failure {
  /** The HTTP status. */
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often it fails before it goes on; always, unless given. */
  readonly times?: number;
  /** What it goes on with after that; the text "recovered" unless given. */
  readonly afterwards?: Step;
}
