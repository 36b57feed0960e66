import type { Event, EventOf, Tokens } from "@fairlead/contract";
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { attributes } from "./attributes.ts";

export interface TraceOptions {
  readonly tracer: Tracer;
  /** Whether what people and agents said goes along. */
  readonly content: boolean;
}

type Started = Event & { readonly body: EventOf<"turn.started"> };

/** A turn as spans: one for the turn, and in it one for each call of a tool. All times are those of the events. */
export class TurnTrace {
  readonly #options: TraceOptions;
  readonly #turn: Span;
  readonly #calls = new Map<string, Span>();
  readonly #said: string[] = [];
  /** Null until some are told of: none known is not none used. */
  #tokens: Tokens | null = null;
  #model: string | null = null;
  #error: string | null = null;

  constructor({ session, agent: agent, model, occurredAt, body }: Started, options: TraceOptions) {
    this.#options = options;
    this.#model = model;
    this.#turn = options.tracer.startSpan(
      `invoke_agent ${agent}`,
      {
        kind: SpanKind.CLIENT,
        startTime: new Date(occurredAt),
        attributes: {
          [attributes.operation]: "invoke_agent",
          [attributes.agent]: agent,
          // Until the agent tells who serves its model, if it ever does.
          [attributes.provider]: agent,
          [attributes.conversation]: session,
          [attributes.turn]: body.turn,
          ...(options.content && { [attributes.input]: messages("user", [body.input]) }),
        },
      },
      ROOT_CONTEXT,
    );
  }

  saw({ occurredAt, model, body }: Event): void {
    const at = new Date(occurredAt);
    // Some agents say it only after the turn has begun.
    this.#model = model ?? this.#model;
    switch (body.type) {
      case "tool.requested":
        return this.#request(body, at);
      case "tool.started":
        this.#calls.get(body.call)?.addEvent(body.type, at);
        return;
      case "tool.ended":
        return this.#finish(body, at);
      case "text.ended":
        if (this.#options.content && body.parent === undefined) this.#said.push(body.text);
        return;
      case "error.raised":
        this.#error = body.category;
        return;
      case "usage.reported":
        this.#tokens = sum(this.#tokens, body.tokens);
        this.#model ??= body.model;
        this.#turn.setAttribute(attributes.provider, body.provider);
        return;
      case "turn.ended":
        this.#end(body, at);
    }
  }

  #request({ call, name, input, parent }: EventOf<"tool.requested">, startTime: Date): void {
    const { tracer, content } = this.#options;
    const around = (parent === undefined ? undefined : this.#calls.get(parent)) ?? this.#turn;
    const own = {
      [attributes.operation]: "execute_tool",
      [attributes.tool]: name,
      [attributes.call]: call,
      ...(content && { [attributes.arguments]: JSON.stringify(input) ?? "" }),
    };
    const options = { kind: SpanKind.INTERNAL, startTime, attributes: own };
    this.#calls.set(call, tracer.startSpan(`execute_tool ${name}`, options, trace.setSpan(ROOT_CONTEXT, around)));
  }

  #finish({ call, ok, output, reason = "failed" }: EventOf<"tool.ended">, at: Date): void {
    const span = this.#calls.get(call);
    if (span === undefined) return;
    if (this.#options.content) span.setAttribute(attributes.result, output);
    if (!ok) fail(span, reason);
    span.end(at);
  }

  #end({ outcome }: EventOf<"turn.ended">, at: Date): void {
    this.#turn.setAttributes({
      [attributes.outcome]: outcome,
      ...(this.#model !== null && { [attributes.model]: this.#model }),
      ...(this.#tokens !== null && usage(this.#tokens)),
      ...(this.#options.content && { [attributes.output]: messages("assistant", this.#said) }),
    });
    if (outcome === "failed") fail(this.#turn, this.#error ?? "_OTHER");
    this.#turn.end(at);
  }
}

function sum(before: Tokens | null, more: Tokens): Tokens {
  return {
    uncached: (before?.uncached ?? 0) + more.uncached,
    cacheRead: (before?.cacheRead ?? 0) + more.cacheRead,
    cacheWrite: (before?.cacheWrite ?? 0) + more.cacheWrite,
    output: (before?.output ?? 0) + more.output,
    reasoning: (before?.reasoning ?? 0) + more.reasoning,
  };
}

function usage({ uncached, cacheRead, cacheWrite, output, reasoning }: Tokens): Attributes {
  return {
    // The convention counts what came from a cache as input too.
    [attributes.inputTokens]: uncached + cacheRead + cacheWrite,
    [attributes.cacheReadTokens]: cacheRead,
    [attributes.cacheWriteTokens]: cacheWrite,
    [attributes.outputTokens]: output,
    [attributes.reasoningTokens]: reasoning,
  };
}

/** What it says is the category and never the message, which may quote anything. */
function fail(span: Span, type: string): void {
  span.setAttribute(attributes.error, type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function messages(role: "user" | "assistant", texts: readonly string[]): string {
  return JSON.stringify([{ role, parts: texts.map((content) => ({ type: "text", content })) }]);
}
