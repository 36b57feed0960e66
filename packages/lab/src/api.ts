import type { ScriptedQuota, ScriptStep } from "./script.ts";
import type { ModelUsage } from "./model-usage.ts";

/** One vendor's model API. To add one, write a file in `apis/` and list it in `lab.ts`. */
export interface Api {
  /** The value of `ServedAnswer.api`. */
  readonly name: string;
  /** Parses a request. Returns undefined if the request is not addressed to this API. */
  recognize(request: ApiRequest): ApiQuestion | FixedAnswer | undefined;
  /** Builds the body of an answer that is not streamed. */
  completeBody(answer: ApiAnswer): unknown;
  /** Builds the chunks of a streamed answer. The first one opens the stream, the last one completes it. */
  stream(answer: ApiAnswer): Iterable<SseChunk>;
  /** A chunk without content that keeps an open stream alive. */
  readonly ping: SseChunk;
  /** Builds the body of an answer with an HTTP status of 400 or more. */
  errorBody(status: number, message: string): unknown;
  /** Builds the headers with which the vendor reports a quota of the account. Default: it reports none. */
  quotaHeaders?(quota: ScriptedQuota): Readonly<Record<string, string>>;
  /** Builds the body of a refusal because of a quota. Default: the body of any answer with HTTP status 429. */
  quotaBody?(quota: ScriptedQuota): unknown;
  /** Returns the part of the usage that this API can report. Default: all of it. */
  reportableUsage?(usage: ModelUsage): ModelUsage;
}

export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The parsed JSON body, or undefined if there is none. */
  readonly body: unknown;
}

/** A request for a model response. */
export interface ApiQuestion {
  readonly model: string;
  /** False for auxiliary requests, such as one for a title. The script does not answer those. */
  readonly hasTools: boolean;
  readonly streamed: boolean;
  readonly conversation: readonly ApiMessage[];
  /** Set if the API reports usage only on request, and the client has not requested it. */
  readonly withoutUsage?: true;
}

/** The part of a message that is needed to find the script and the step. There is one assistant message per answer. */
export interface ApiMessage {
  readonly role: "user" | "assistant" | "other";
  /** The text, without the results of tools. */
  readonly text: string;
}

/** The constant answer to a request that needs no model. */
export interface FixedAnswer {
  readonly fixed: unknown;
}

export interface ApiAnswer {
  readonly model: string;
  readonly step: ScriptStep;
  readonly usage: ModelUsage;
  readonly withoutUsage?: true;
}

/** One server-sent event. */
export interface SseChunk {
  readonly event?: string;
  /** Sent as JSON. A string is sent unquoted, for streams that end with a keyword. */
  readonly data: unknown;
  /** True for a piece of content. `ScriptStep.chunkDelay` applies to these chunks. */
  readonly delta?: boolean;
  /** The usage that the client knows once it has received this chunk. */
  readonly usage?: ModelUsage;
}
