import type { Fairlead } from "@fairlead/api";
import type { HttpWatch } from "./http-watch.ts";
import type { Logger } from "./logger.ts";
import { type Observer, together } from "./observer.ts";
import type { Traces } from "./traces.ts";

export interface WatchOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly version: string;
  /** Takes a line of the log. */
  readonly write: (line: string) => void;
}

/** What watches over a service: its log, its numbers and its traces. */
export interface Watch extends AsyncDisposable {
  readonly log: Logger;
  /** To be told of every event. */
  readonly observer: Observer;
  /** To be told of every request. */
  readonly http: HttpWatch;
  /** The numbers, in Prometheus' form. */
  metrics(fairlead: Pick<Fairlead, "sessions">): Promise<string>;
}

/** Begins to watch. Everything is loaded only here, since none of it is needed by those who are no service. */
export async function openWatch({ environment, version, write }: WatchOptions): Promise<Watch> {
  const [{ Logger }, { EventLines }, { Metrics }] = await Promise.all([
    import("./logger.ts"),
    import("./event-lines.ts"),
    import("./metrics.ts"),
  ]);
  const log = new Logger({
    level: environment["FAIRLEAD_LOG"],
    content: isOn(environment["FAIRLEAD_LOG_CONTENT"]),
    write,
  });
  const metrics = new Metrics();
  const traces = await tracesFor(environment, version);
  const observers = [new EventLines(log), metrics, ...(traces === null ? [] : [traces])];
  return {
    log,
    observer: together(observers, (error) => log.error("an event was not counted", error)),
    http: metrics,
    metrics: async (fairlead) => await metrics.text(await fairlead.sessions()),
    [Symbol.asyncDispose]: async () => await traces?.[Symbol.asyncDispose](),
  };
}

/** By OpenTelemetry's own variables; null, and nothing of it loaded, where they name no place to send to. */
async function tracesFor(environment: NodeJS.ProcessEnv, version: string): Promise<Traces | null> {
  const url = endpointOf(environment);
  if (url === null || isOn(environment["OTEL_SDK_DISABLED"])) return null;
  const { Traces } = await import("./traces.ts");
  const service = environment["OTEL_SERVICE_NAME"] || "fairlead";
  return new Traces({ url, service, version, content: isOn(environment["FAIRLEAD_OTEL_CONTENT"]) });
}

function endpointOf(environment: NodeJS.ProcessEnv): string | null {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole, OTEL_EXPORTER_OTLP_ENDPOINT: base } = environment;
  if (whole) return whole;
  return base ? `${base.replace(/\/+$/, "")}/v1/traces` : null;
}

function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true";
}
