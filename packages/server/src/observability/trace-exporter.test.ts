import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { findSecrets } from "@fairlead/testing/server/find-secrets.ts";
import { openObservability, type Observability } from "./open-observability.ts";

interface ExportedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: Pick<ExportedSpan, "attributes">;
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** Receives spans, as an OpenTelemetry collector does. */
class SpanReceiver implements AsyncDisposable {
  readonly bodies: string[] = [];
  readonly paths: string[] = [];
  readonly #server = createServer((request, response) => {
    void buffer(request).then((body) => {
      this.paths.push(request.url ?? "");
      this.bodies.push((request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString());
      response.setHeader("content-type", "application/json").end("{}");
    });
  });

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get requests(): ExportRequest[] {
    return this.bodies.map((body) => JSON.parse(body) as ExportRequest);
  }

  get spans(): ExportedSpan[] {
    return this.requests.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const attributesOf = (span: Pick<ExportedSpan, "attributes">): Record<string, unknown> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const nanoseconds = (at: string): string => String(BigInt(Date.parse(at)) * 1_000_000n);
const openTestObservability = (environment: NodeJS.ProcessEnv): Promise<Observability> =>
  openObservability({ environment, version: "1.2.3", write: () => {} });

const secrets = ["secret-in-the-prompt", "secret-agent-text", "secret-in-the-input", "secret-in-the-output"];
const command = "echo secret-in-the-input; printf secret-; printf in-the-output";
const script = withScript("secret-in-the-prompt", [
  { text: "secret-agent-text", tools: [{ name: "run", input: { command } }] },
  { tools: [{ name: "run", input: { command: "exit 3" } }] },
  { error: { status: 500 } },
]);

/** Runs a session of one turn and returns the receiver with its spans. */
async function runTracedTurn(
  environment: NodeJS.ProcessEnv,
): Promise<{ receiver: SpanReceiver; events: Awaited<ReturnType<typeof collectEventsUntil>> }> {
  await using receiver = new SpanReceiver();
  const endpoint = await receiver.listen();
  await using testHome = new ServiceTestHome();
  const observability = await openTestObservability({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`, ...environment });
  const fairlead = await testHome.open(observability.observer);
  const { session } = await fairlead.start({ workspace: testHome.folder, mode: "full-auto", prompt: script });
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  await observability[Symbol.asyncDispose]();
  return { receiver, events };
}

test("a turn is a span and each tool call its child, with the times of the events and without content", async () => {
  const { receiver, events } = await runTracedTurn({});
  expect(new Set(receiver.paths)).toEqual(new Set(["/v1/traces"]));
  expect(attributesOf(receiver.requests[0]!.resourceSpans[0]!.resource)).toMatchObject({
    "service.name": "fairlead",
    "service.version": "1.2.3",
  });
  const time = (type: string, index = 0): string =>
    nanoseconds(events.filter(({ body }) => body.type === type)[index]!.occurredAt);
  const turn = receiver.spans.find(({ name }) => name === "invoke_agent scripted")!;
  expect(turn).toMatchObject({ kind: 3, status: { code: 2 } });
  expect(turn.parentSpanId).toBeUndefined();
  expect([turn.startTimeUnixNano, turn.endTimeUnixNano]).toEqual([time("turn.started"), time("turn.ended")]);
  expect(attributesOf(turn)).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "scripted",
    "gen_ai.conversation.id": events[0]!.session,
    "gen_ai.request.model": events.at(-1)!.model,
    "error.type": "provider-failed",
    "fairlead.turn.outcome": "failed",
  });

  const calls = receiver.spans.filter(({ name }) => name === "execute_tool run");
  expect(calls).toHaveLength(2);
  for (const [index, call] of calls.entries()) {
    expect(call).toMatchObject({ kind: 1, traceId: turn.traceId, parentSpanId: turn.spanId });
    const times = [call.startTimeUnixNano, call.endTimeUnixNano];
    expect(times).toEqual([time("tool.requested", index), time("tool.ended", index)]);
  }
  expect(calls.map((call) => attributesOf(call)["error.type"])).toEqual([undefined, "failed"]);
  expect(calls.map((call) => call.status.code ?? 0)).toEqual([0, 2]);
  expect(findSecrets(receiver.bodies.join(), secrets)).toEqual([]);
});

test("usage is summed over the turn, and a sub-agent's calls are children of the call that started it", async () => {
  await using receiver = new SpanReceiver();
  const observability = await openTestObservability({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${await receiver.listen()}/elsewhere`,
  });
  const tokens = { uncached: 1, cacheRead: 10, cacheWrite: 100, output: 7, reasoning: 3 };
  const usage = { type: "usage.reported", provider: "some-provider", model: "large", tokens, cost: null } as const;
  const bodies: Event["body"][] = [
    { type: "turn.started", turn: "t", input: "", origin: "user" },
    { type: "tool.requested", call: "outer", name: "delegate", input: {} },
    { type: "tool.requested", call: "inner", name: "run", input: {}, parent: "outer" },
    { ...usage, provenance: "reported" },
    { type: "tool.ended", call: "inner", name: "run", ok: true, output: "" },
    { type: "tool.ended", call: "outer", name: "delegate", ok: false, output: "", reason: "denied" },
    { ...usage, provenance: "derived" },
    { type: "turn.ended", turn: "t", outcome: "completed" },
  ];
  const envelope = { id: "e", session: "s", epoch: 1, turn: null, agent: "scripted", model: null, synthetic: false };
  for (const [index, body] of bodies.entries()) {
    const occurredAt = new Date(index).toISOString();
    observability.observer.onEvent({ ...envelope, sequence: index + 1, spool: index + 1, occurredAt, body });
  }
  await observability[Symbol.asyncDispose]();

  expect(receiver.paths).toEqual(["/elsewhere"]);
  const [inner, outer, turn] = receiver.spans;
  expect([inner?.parentSpanId, outer?.parentSpanId]).toEqual([outer?.spanId, turn?.spanId]);
  expect(attributesOf(outer!)).toMatchObject({ "gen_ai.tool.name": "delegate", "error.type": "denied" });
  expect(turn!.status.code ?? 0).toBe(0);
  expect(attributesOf(turn!)).toMatchObject({
    "gen_ai.provider.name": "some-provider",
    "gen_ai.request.model": "large",
    "gen_ai.usage.input_tokens": 222,
    "gen_ai.usage.cache_read.input_tokens": 20,
    "gen_ai.usage.output_tokens": 14,
  });
});

test("control: with FAIRLEAD_OTEL_CONTENT the spans contain the content", async () => {
  const { receiver } = await runTracedTurn({ FAIRLEAD_OTEL_CONTENT: "1" });
  expect(findSecrets(receiver.bodies.join(), secrets)).toEqual(secrets);
});

test("a receiver that never answers delays neither the turn nor the shutdown", async () => {
  const silentReceiver = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silentReceiver, "listening");
  const endpoint = `http://127.0.0.1:${(silentReceiver.address() as AddressInfo).port}`;
  await using testHome = new ServiceTestHome();
  const observability = await openTestObservability({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const fairlead = await testHome.open(observability.observer);
  const { session } = await fairlead.start({ workspace: testHome.folder, mode: "full-auto", prompt: script });
  await collectEventsUntil(fairlead, session, "turn.ended");
  const before = Date.now();
  await observability[Symbol.asyncDispose]();
  expect(Date.now() - before).toBeLessThan(5000);
  silentReceiver.closeAllConnections();
  silentReceiver.close();
});
