import type { Event } from "@fairlead/contract";
import type { Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { withTimeout } from "../http/with-timeout.ts";
import type { EventObserver } from "@fairlead/service";
import { TurnTrace } from "./turn-trace.ts";

export interface TraceExporterOptions {
  /** The endpoint for spans, in OTLP's JSON over HTTP. */
  readonly url: string;
  /** The value of the attribute `service.name`. */
  readonly service: string;
  readonly version: string;
  /** Whether spans contain prompts and agent output. */
  readonly content: boolean;
}

/** How long the export of the last spans may delay the shutdown, in milliseconds. */
const flushTimeout = 2000;

/** Exports a trace of every turn that begins and ends in this process. */
export class TraceExporter implements EventObserver, AsyncDisposable {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #content: boolean;
  /** The open turn of each session. */
  readonly #turns = new Map<string, TurnTrace>();

  constructor({ url, service, version, content }: TraceExporterOptions) {
    this.#content = content;
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ "service.name": service, "service.version": version }),
      spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
    });
    this.#tracer = this.#provider.getTracer("fairlead", version);
  }

  onEvent(event: Event): void {
    const { session, body } = event;
    if (body.type === "turn.started") {
      const options = { tracer: this.#tracer, content: this.#content };
      this.#turns.set(session, new TurnTrace({ ...event, body }, options));
      return;
    }
    this.#turns.get(session)?.record(event);
    if (body.type === "turn.ended" || body.type === "session.ended") this.#turns.delete(session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A receiver that does not answer must not delay the shutdown.
    await withTimeout(
      this.#provider.shutdown().catch(() => {}),
      flushTimeout,
      undefined,
    );
  }
}
