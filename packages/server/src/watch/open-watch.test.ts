import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { together } from "./observer.ts";

/** What a process loads that opens a watch in such an environment, or that only imports the server's index. */
async function loaded(environment: object | null): Promise<string[]> {
  const at = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
  const opening = `const { openWatch } = await import(${at("open-watch.ts")});
    await openWatch({ environment: ${JSON.stringify(environment)}, version: "0", write: () => {} });`;
  const program = `import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({ resolve: (name, context, next) => (seen.push(name), next(name, context)) });
    ${environment === null ? `await import(${at("../index.ts")});` : opening}
    process.stdout.write(JSON.stringify(seen));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return JSON.parse(stdout) as string[];
}

const heavy = ["pino", "prom-client", "@opentelemetry/sdk-trace", "@opentelemetry/exporter-trace-otlp-http"];

test("nothing is loaded for those who are no service, and nothing of traces where there is nobody to send them to", async () => {
  const [index, watch, tracing, disabled] = await Promise.all([
    loaded(null),
    loaded({}),
    loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }),
    loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" }),
  ]);
  expect(heavy.filter((name) => index.includes(name))).toEqual([]);
  expect(heavy.filter((name) => watch.includes(name))).toEqual(heavy.slice(0, 2));
  expect(heavy.filter((name) => tracing.includes(name))).toEqual(heavy); // control
  expect(heavy.filter((name) => disabled.includes(name))).toEqual(heavy.slice(0, 2));
});

test("an observer that fails is told of, and keeps nothing from the others", () => {
  const seen: Event[] = [];
  const errors: unknown[] = [];
  const broken = new Error("broken");
  const failing = {
    saw: () => {
      throw broken;
    },
  };
  const event = { sequence: 1 } as Event;
  together([failing, { saw: (one) => void seen.push(one) }], (error) => void errors.push(error)).saw(event);
  expect([seen, errors]).toEqual([[event], [broken]]);
});
