import type { Step } from "./step.ts";
import type { Usage } from "./usage.ts";

/** One vendor's way to talk to a model. To teach the lab another, write one file in `apis/` and name it in `apis.ts`. */
export interface Api {
  /** The name that its answers carry in `Lab.served`. */
  readonly name: string;
  /** What a request asks; undefined when it is not addressed to this API. */
  recognise(request: ApiRequest): Question | Fixed | undefined;
  /** The answer in one piece. */
  body(answer: Answer): unknown;
  /** The answer in pieces. The first one opens the stream, the last one completes it. */
  stream(answer: Answer): Iterable<Chunk>;
  /** What keeps an open stream alive and says nothing. */
  readonly ping: Chunk;
  /** The body of an answer with an HTTP status of 400 or more. */
  error(status: number, message: string): unknown;
  /** As much of a usage as this API has words for; all of it unless given. */
  stated?(usage: Usage): Usage;
}

export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Parsed JSON; undefined when there was none. */
  readonly body: unknown;
}

/** A request that wants an answer from the model. */
export interface Question {
  readonly model: string;
  /** False for side jobs such as finding a title: those are not scripted. */
  readonly hasTools: boolean;
  readonly streamed: boolean;
  readonly conversation: readonly Message[];
  /** Given when the client has not asked for the usage, and the API states it only when asked. */
  readonly withoutUsage?: true;
}

/** As much of a conversation as it takes to find the script and the step. One assistant message for each answer given. */
export interface Message {
  readonly role: "user" | "assistant" | "other";
  /** What was said, without the results of tools. */
  readonly text: string;
}

/** A request that needs no model: the answer is always this. */
export interface Fixed {
  readonly fixed: unknown;
}

export interface Answer {
  readonly model: string;
  readonly step: Step;
  readonly usage: Usage;
  readonly withoutUsage?: true;
}

/** One server-sent event. */
export interface Chunk {
  readonly event?: string;
  /** Sent as JSON; but a string is sent as it is, for streams that end with a word. */
  readonly data: unknown;
  /** True for a piece of content: the pace of a step applies to these. */
  readonly delta?: boolean;
  /** The usage that a client knows of once it has this chunk. */
  readonly states?: Usage;
}
