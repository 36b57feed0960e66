import type { Event } from "@fairlead/contract";
import type { Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { within } from "../http/within.ts";
import type { Observer } from "./observer.ts";
import { TurnTrace } from "./turn-trace.ts";

export interface TracesOptions {
  /** Where spans are sent, in OTLP's JSON over HTTP. */
  readonly url: string;
  /** What this service is called there. */
  readonly service: string;
  readonly version: string;
  /** Whether what people and agents said goes along. */
  readonly content: boolean;
}

/** How long the last spans may take on their way out when the service ends. */
const grace = 2000;

/** Tells OpenTelemetry of every turn that begins and ends while this process is there. */
export class Traces implements Observer, AsyncDisposable {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #content: boolean;
  /** The open turn of each session. */
  readonly #turns = new Map<string, TurnTrace>();

  constructor({ url, service, version, content }: TracesOptions) {
    this.#content = content;
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ "service.name": service, "service.version": version }),
      spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
    });
    this.#tracer = this.#provider.getTracer("fairlead", version);
  }

  saw(event: Event): void {
    const { session, body } = event;
    if (body.type === "turn.started") {
      const options = { tracer: this.#tracer, content: this.#content };
      this.#turns.set(session, new TurnTrace({ ...event, body }, options));
      return;
    }
    this.#turns.get(session)?.saw(event);
    if (body.type === "turn.ended" || body.type === "session.ended") this.#turns.delete(session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Somebody who does not answer must not keep the service from ending.
    await within(
      this.#provider.shutdown().catch(() => {}),
      grace,
      undefined,
    );
  }
}
