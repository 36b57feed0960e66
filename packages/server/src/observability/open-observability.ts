import type { FleetMetrics } from "./fleet-metrics.ts";
import type { HttpObserver } from "./http-observer.ts";
import type { Logger } from "./logger.ts";
import type { Metrics, MetricsSource } from "./metrics.ts";
import { type EventObserver, combineObservers } from "@fairlead/service";
import type { TraceExporter } from "./trace-exporter.ts";

export interface ObservabilityOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly version: string;
  /** Writes a line of the log. */
  readonly write: (line: string) => void;
  /** Whether the service is a host or a gateway of a fleet. Default: no. */
  readonly isFleet?: boolean;
}

/** The log, metrics and traces of a service. */
export interface Observability extends AsyncDisposable {
  readonly log: Logger;
  /** Receives every event. */
  readonly observer: EventObserver;
  /** Receives every request. */
  readonly http: HttpObserver;
  /** The metrics of a host or gateway; null for another service. */
  readonly fleet: FleetMetrics | null;
  /** Renders the metrics in Prometheus' format. */
  metrics(source: MetricsSource): Promise<string>;
}

/** Opens the log, metrics and traces. Their libraries are loaded here, because only a service needs them. */
export async function openObservability({
  environment,
  version,
  write,
  isFleet = false,
}: ObservabilityOptions): Promise<Observability> {
  const [{ Logger }, { EventLogger }, { Metrics }] = await Promise.all([
    import("./logger.ts"),
    import("./event-logger.ts"),
    import("./metrics.ts"),
  ]);
  const log = new Logger({
    level: environment["FAIRLEAD_LOG"],
    content: isEnabled(environment["FAIRLEAD_LOG_CONTENT"]),
    write,
  });
  const metrics = new Metrics();
  const fleet = isFleet ? await openFleetMetrics(metrics) : null;
  const traces = await openTraceExporter(environment, version);
  const observers = [
    new EventLogger(log),
    metrics,
    ...(fleet === null ? [] : [fleet]),
    ...(traces === null ? [] : [traces]),
  ];
  return {
    log,
    observer: combineObservers(observers, (error) => log.error("event observer failed", error)),
    http: metrics,
    fleet,
    metrics: async (source) => await metrics.render(source),
    [Symbol.asyncDispose]: async () => await traces?.[Symbol.asyncDispose](),
  };
}

async function openFleetMetrics({ registry }: Metrics): Promise<FleetMetrics> {
  const { FleetMetrics } = await import("./fleet-metrics.ts");
  return new FleetMetrics(registry);
}

/** Reads OpenTelemetry's own variables. Without an endpoint it returns null and loads no library. */
async function openTraceExporter(environment: NodeJS.ProcessEnv, version: string): Promise<TraceExporter | null> {
  const url = tracesEndpoint(environment);
  if (url === null || isEnabled(environment["OTEL_SDK_DISABLED"])) return null;
  const { TraceExporter } = await import("./trace-exporter.ts");
  const service = environment["OTEL_SERVICE_NAME"] || "fairlead";
  return new TraceExporter({ url, service, version, content: isEnabled(environment["FAIRLEAD_OTEL_CONTENT"]) });
}

function tracesEndpoint(environment: NodeJS.ProcessEnv): string | null {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl, OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl } = environment;
  if (tracesUrl) return tracesUrl;
  return baseUrl ? `${baseUrl.replace(/(?<!\/)\/+$/, "")}/v1/traces` : null;
}

function isEnabled(value: string | undefined): boolean {
  return value === "1" || value === "true";
}
