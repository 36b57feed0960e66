import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { combineObservers } from "@fairlead/service";

/**
 * Lists the modules that a process loads when it opens observability in an environment or, for null, imports the index.
 */
async function loadedModules(environment: object | null): Promise<string[]> {
  const moduleUrl = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
  const openProgram = `const { openObservability } = await import(${moduleUrl("open-observability.ts")});
    await openObservability({ environment: ${JSON.stringify(environment)}, version: "0", write: () => {} });`;
  const program = `import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) });
    ${environment === null ? `await import(${moduleUrl("../index.ts")});` : openProgram}
    process.stdout.write(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return JSON.parse(stdout) as string[];
}

const heavyModules = ["pino", "prom-client", "@opentelemetry/sdk-trace", "@opentelemetry/exporter-trace-otlp-http"];

test("the index loads no observability library, and traces are loaded only with an endpoint", async () => {
  const [index, withoutTraces, withTraces, disabled] = await Promise.all([
    loadedModules(null),
    loadedModules({}),
    loadedModules({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }),
    loadedModules({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" }),
  ]);
  expect(heavyModules.filter((name) => index.includes(name))).toEqual([]);
  expect(heavyModules.filter((name) => withoutTraces.includes(name))).toEqual(heavyModules.slice(0, 2));
  expect(heavyModules.filter((name) => withTraces.includes(name))).toEqual(heavyModules); // control
  expect(heavyModules.filter((name) => disabled.includes(name))).toEqual(heavyModules.slice(0, 2));
});

test("an observer that throws is reported, and the other observers still get the event", () => {
  const received: Event[] = [];
  const errors: unknown[] = [];
  const broken = new Error("broken");
  const failing = {
    onEvent: () => {
      throw broken;
    },
  };
  const event = { sequence: 1 } as Event;
  combineObservers(
    [failing, { onEvent: (observed) => void received.push(observed) }],
    (error) => void errors.push(error),
  ).onEvent(event);
  expect([received, errors]).toEqual([[event], [broken]]);
});
