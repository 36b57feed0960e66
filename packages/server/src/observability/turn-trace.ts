import { addTokenCounts, type Event, type EventOf, type TokenCounts, zeroTokenCounts } from "@fairlead/contract";
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { spanAttributes } from "./span-attributes.ts";

export interface TurnTraceOptions {
  readonly tracer: Tracer;
  /** Whether spans contain prompts and agent output. */
  readonly content: boolean;
}

type TurnStartedEvent = Event & { readonly body: EventOf<"turn.started"> };

/** Records a turn as spans: one for the turn, and a child for each tool call. Times are those of the events. */
export class TurnTrace {
  readonly #options: TurnTraceOptions;
  readonly #turnSpan: Span;
  readonly #callSpans = new Map<string, Span>();
  readonly #texts: string[] = [];
  /** Null until the agent reports usage: unknown is not zero. */
  #tokens: TokenCounts | null = null;
  #model: string | null = null;
  #error: string | null = null;

  constructor({ session, agent, model, occurredAt, body }: TurnStartedEvent, options: TurnTraceOptions) {
    this.#options = options;
    this.#model = model;
    this.#turnSpan = options.tracer.startSpan(
      `invoke_agent ${agent}`,
      {
        kind: SpanKind.CLIENT,
        startTime: new Date(occurredAt),
        attributes: {
          [spanAttributes.operation]: "invoke_agent",
          [spanAttributes.agent]: agent,
          // Replaced if the agent reports the provider of its model.
          [spanAttributes.provider]: agent,
          [spanAttributes.conversation]: session,
          [spanAttributes.turn]: body.turn,
          ...(options.content && { [spanAttributes.input]: formatMessages("user", [body.input]) }),
        },
      },
      ROOT_CONTEXT,
    );
  }

  record({ occurredAt, model, body }: Event): void {
    const at = new Date(occurredAt);
    // Some agents report the model only after the turn has begun.
    this.#model = model ?? this.#model;
    switch (body.type) {
      case "tool.requested":
        return this.#startCall(body, at);
      case "tool.started":
        this.#callSpans.get(body.call)?.addEvent(body.type, at);
        return;
      case "tool.ended":
        return this.#endCall(body, at);
      case "text.ended":
        if (this.#options.content && body.parent === undefined) this.#recordText(body);
        return;
      case "error.raised":
        this.#error = body.category;
        return;
      case "usage.reported":
        this.#tokens = addTokenCounts(this.#tokens ?? zeroTokenCounts, body.tokens);
        this.#model ??= body.model;
        this.#turnSpan.setAttribute(spanAttributes.provider, body.provider);
        return;
      case "turn.ended":
        this.#endTurn(body, at);
    }
  }

  /** Records a text. Of one that ends in parts, only the first: an attribute of a span is no place for the others. */
  #recordText({ text, part = 1, last }: EventOf<"text.ended">): void {
    if (part === 1) this.#texts.push(text);
    else if (last) this.#texts.push(`[${part - 1} more parts]`);
  }

  #startCall({ call, name, input, parent }: EventOf<"tool.requested">, startTime: Date): void {
    const { tracer, content } = this.#options;
    const parentSpan = (parent === undefined ? undefined : this.#callSpans.get(parent)) ?? this.#turnSpan;
    const callAttributes = {
      [spanAttributes.operation]: "execute_tool",
      [spanAttributes.tool]: name,
      [spanAttributes.call]: call,
      ...(content && { [spanAttributes.arguments]: JSON.stringify(input) ?? "" }),
    };
    const options = { kind: SpanKind.INTERNAL, startTime, attributes: callAttributes };
    this.#callSpans.set(
      call,
      tracer.startSpan(`execute_tool ${name}`, options, trace.setSpan(ROOT_CONTEXT, parentSpan)),
    );
  }

  #endCall({ call, ok, output, reason = "failed" }: EventOf<"tool.ended">, at: Date): void {
    const span = this.#callSpans.get(call);
    if (span === undefined) return;
    if (this.#options.content) span.setAttribute(spanAttributes.result, output);
    if (!ok) markFailed(span, reason);
    span.end(at);
  }

  #endTurn({ outcome }: EventOf<"turn.ended">, at: Date): void {
    this.#turnSpan.setAttributes({
      [spanAttributes.outcome]: outcome,
      ...(this.#model !== null && { [spanAttributes.model]: this.#model }),
      ...(this.#tokens !== null && usageAttributes(this.#tokens)),
      ...(this.#options.content && { [spanAttributes.output]: formatMessages("assistant", this.#texts) }),
    });
    if (outcome === "failed") markFailed(this.#turnSpan, this.#error ?? "_OTHER");
    this.#turnSpan.end(at);
  }
}

function usageAttributes({ uncached, cacheRead, cacheWrite, output, reasoning }: TokenCounts): Attributes {
  return {
    // The convention counts cached tokens as input too.
    [spanAttributes.inputTokens]: uncached + cacheRead + cacheWrite,
    [spanAttributes.cacheReadTokens]: cacheRead,
    [spanAttributes.cacheWriteTokens]: cacheWrite,
    [spanAttributes.outputTokens]: output,
    [spanAttributes.reasoningTokens]: reasoning,
  };
}

/** Sets the error category and never the message, which may quote content. */
function markFailed(span: Span, type: string): void {
  span.setAttribute(spanAttributes.error, type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function formatMessages(role: "user" | "assistant", texts: readonly string[]): string {
  return JSON.stringify([{ role, parts: texts.map((content) => ({ type: "text", content })) }]);
}
