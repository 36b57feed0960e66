import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { eventsUntil, Ground } from "../local/ground-for-test.ts";
import { secretsIn } from "./known-secrets-for-test.ts";
import { openWatch, type Watch } from "./open-watch.ts";

interface ToldSpan {
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

interface Told {
  readonly resourceSpans: readonly {
    readonly resource: Pick<ToldSpan, "attributes">;
    readonly scopeSpans: readonly { readonly spans: readonly ToldSpan[] }[];
  }[];
}

/** Somebody who is sent spans, as a collector is. */
class Receiver implements AsyncDisposable {
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

  get told(): Told[] {
    return this.bodies.map((body) => JSON.parse(body) as Told);
  }

  get spans(): ToldSpan[] {
    return this.told.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const attributesOf = (span: Pick<ToldSpan, "attributes">): Record<string, unknown> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const nanoseconds = (at: string): string => String(BigInt(Date.parse(at)) * 1_000_000n);
const watching = (environment: NodeJS.ProcessEnv): Promise<Watch> =>
  openWatch({ environment, version: "1.2.3", write: () => {} });

const secrets = ["secret-in-the-prompt", "secret-that-was-said", "secret-in-the-input", "secret-in-the-output"];
const command = "echo secret-in-the-input; printf secret-; printf in-the-output";
const script = withScript("secret-in-the-prompt", [
  { text: "secret-that-was-said", tools: [{ name: "run", input: { command } }] },
  { tools: [{ name: "run", input: { command: "exit 3" } }] },
  { error: { status: 500 } },
]);

/** A session of one turn, and what the receiver is told of it. */
async function traced(
  environment: NodeJS.ProcessEnv,
): Promise<{ receiver: Receiver; events: Awaited<ReturnType<typeof eventsUntil>> }> {
  await using receiver = new Receiver();
  const endpoint = await receiver.listen();
  await using ground = new Ground();
  const watch = await watching({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`, ...environment });
  const fairlead = await ground.open(watch.observer);
  const { session } = await fairlead.start({ workspace: ground.folder, mode: "full-auto", prompt: script });
  const events = await eventsUntil(fairlead, session, "turn.ended");
  await watch[Symbol.asyncDispose]();
  return { receiver, events };
}

test("a turn is a span, and each call of a tool one in it, with the times of the events and nothing that was said", async () => {
  const { receiver, events } = await traced({});
  expect(new Set(receiver.paths)).toEqual(new Set(["/v1/traces"]));
  expect(attributesOf(receiver.told[0]!.resourceSpans[0]!.resource)).toMatchObject({
    "service.name": "fairlead",
    "service.version": "1.2.3",
  });
  const time = (type: string, nth = 0): string =>
    nanoseconds(events.filter(({ body }) => body.type === type)[nth]!.occurredAt);
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
  for (const [nth, call] of calls.entries()) {
    expect(call).toMatchObject({ kind: 1, traceId: turn.traceId, parentSpanId: turn.spanId });
    const times = [call.startTimeUnixNano, call.endTimeUnixNano];
    expect(times).toEqual([time("tool.requested", nth), time("tool.ended", nth)]);
  }
  expect(calls.map((call) => attributesOf(call)["error.type"])).toEqual([undefined, "failed"]);
  expect(calls.map((call) => call.status.code ?? 0)).toEqual([0, 2]);
  expect(secretsIn(receiver.bodies.join(), secrets)).toEqual([]);
});

test("what was used is summed over the turn, and a sub-agent's calls stand in the call that began it", async () => {
  await using receiver = new Receiver();
  const watch = await watching({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${await receiver.listen()}/elsewhere` });
  const tokens = { uncached: 1, cacheRead: 10, cacheWrite: 100, output: 7, reasoning: 3 };
  const used = { type: "usage.reported", provider: "somebody", model: "large", tokens, cost: null } as const;
  const bodies: Event["body"][] = [
    { type: "turn.started", turn: "t", input: "", origin: "user" },
    { type: "tool.requested", call: "outer", name: "delegate", input: {} },
    { type: "tool.requested", call: "inner", name: "run", input: {}, parent: "outer" },
    { ...used, provenance: "reported" },
    { type: "tool.ended", call: "inner", name: "run", ok: true, output: "" },
    { type: "tool.ended", call: "outer", name: "delegate", ok: false, output: "", reason: "denied" },
    { ...used, provenance: "derived" },
    { type: "turn.ended", turn: "t", outcome: "completed" },
  ];
  const envelope = { id: "e", session: "s", epoch: 1, turn: null, agent: "scripted", model: null, synthetic: false };
  for (const [index, body] of bodies.entries()) {
    const occurredAt = new Date(index).toISOString();
    watch.observer.saw({ ...envelope, sequence: index + 1, spool: index + 1, occurredAt, body });
  }
  await watch[Symbol.asyncDispose]();

  expect(receiver.paths).toEqual(["/elsewhere"]);
  const [inner, outer, turn] = receiver.spans;
  expect([inner?.parentSpanId, outer?.parentSpanId]).toEqual([outer?.spanId, turn?.spanId]);
  expect(attributesOf(outer!)).toMatchObject({ "gen_ai.tool.name": "delegate", "error.type": "denied" });
  expect(turn!.status.code ?? 0).toBe(0);
  expect(attributesOf(turn!)).toMatchObject({
    "gen_ai.provider.name": "somebody",
    "gen_ai.request.model": "large",
    "gen_ai.usage.input_tokens": 222,
    "gen_ai.usage.cache_read.input_tokens": 20,
    "gen_ai.usage.output_tokens": 14,
  });
});

test("control: where content was asked for, what was said goes along", async () => {
  const { receiver } = await traced({ FAIRLEAD_OTEL_CONTENT: "1" });
  expect(secretsIn(receiver.bodies.join(), secrets)).toEqual(secrets);
});

test("a receiver that is not there, or never answers, holds nobody up", async () => {
  const mute = createServer(() => {}).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const endpoint = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  await using ground = new Ground();
  const watch = await watching({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const fairlead = await ground.open(watch.observer);
  const { session } = await fairlead.start({ workspace: ground.folder, mode: "full-auto", prompt: script });
  await eventsUntil(fairlead, session, "turn.ended");
  const before = Date.now();
  await watch[Symbol.asyncDispose]();
  expect(Date.now() - before).toBeLessThan(5000);
  mute.closeAllConnections();
  mute.close();
});
