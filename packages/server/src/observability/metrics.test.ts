import { once } from "node:events";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Event } from "@fairlead/contract";
import { serveHttp } from "../http/serve-http.ts";
import { AccessTokens } from "../http/access/access-tokens.ts";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { Metrics } from "./metrics.ts";
import { openObservability } from "./open-observability.ts";

/** Returns the value of a series, with its labels in any order; null if there is none. */
function metricValue(text: string, name: string, labels: Record<string, string> = {}): number | null {
  for (const line of text.split("\n")) {
    const [, seriesName, labelText = "", number] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const seriesLabels = Object.fromEntries(
      [...labelText.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    );
    if (seriesName === name && JSON.stringify(sorted(seriesLabels)) === JSON.stringify(sorted(labels)))
      return Number(number);
  }
  return null;
}

const sorted = (labels: Record<string, string>): string[] => Object.entries(labels).map(String).toSorted();

const emptySource = { countSessions: async () => [], decisions: async () => [] };

function event(session: string, occurredAt: string, body: Event["body"]): Event {
  const envelope = { id: "e", session, sequence: 1, epoch: 1, turn: null, model: null, spool: 1, synthetic: false };
  return { ...envelope, agent: "scripted", occurredAt, body };
}

test("the metrics route reports sessions, turns, decisions, errors, requests and followers", async () => {
  await using testHome = new ServiceTestHome();
  await using observability = await openObservability({ environment: {}, version: "0", write: () => {} });
  const fairlead = await testHome.open(observability.observer);
  const tokens = new AccessTokens(new FileTokenStore(`${testHome.folder}/tokens.json`));
  const metrics = (): Promise<string> => observability.metrics(fairlead);
  await using service = await serveHttp({ fairlead, tokens, port: 0, httpObserver: observability.http, metrics });
  const headers = { authorization: `Bearer ${await tokens.issue({ label: "reader", scopes: ["read"] })}` };
  const scrape = async (): Promise<string> => (await fetch(`${service.url}/v1/metrics`, { headers })).text();

  const agent = "scripted";
  const ask = withScript("Run.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: ask });
  const decisionEvent = (await collectEventsUntil(fairlead, session, "decision.requested")).at(-1)!;
  const socket = new WebSocket(`${service.url}/v1/sessions/${session}/events`.replace("http", "ws"), { headers });
  await once(socket, "message");

  const whileWaiting = await scrape();
  expect(metricValue(whileWaiting, "fairlead_sessions", { agent, state: "waiting" })).toBe(1);
  expect(metricValue(whileWaiting, "fairlead_sessions", { agent, state: "idle" })).toBe(0);
  expect(metricValue(whileWaiting, "fairlead_decisions_open", { agent })).toBe(1);
  expect(metricValue(whileWaiting, "fairlead_decision_oldest_seconds", { agent })).toBeGreaterThan(0);
  expect(metricValue(whileWaiting, "fairlead_followers", { by: "websocket" })).toBe(1);
  expect(metricValue(whileWaiting, "fairlead_turns_total", { agent, outcome: "completed" })).toBeNull();

  const disconnect = new AbortController();
  const accept = { ...headers, accept: "text/event-stream" };
  await fetch(`${service.url}/v1/sessions/${session}/events`, { headers: accept, signal: disconnect.signal });
  await expect.poll(async () => metricValue(await scrape(), "fairlead_followers", { by: "sse" })).toBe(1);
  disconnect.abort();
  await expect.poll(async () => metricValue(await scrape(), "fairlead_followers", { by: "sse" })).toBe(0);

  if (decisionEvent.body.type !== "decision.requested") throw new Error("The agent requested no decision.");
  await fairlead.answer(session, decisionEvent.body.decision, { type: "allow" });
  await collectEventsUntil(fairlead, session, "turn.ended", decisionEvent.sequence);
  const { last } = await fairlead.session(session);
  await fairlead.send(session, withScript("Fail.", [{ error: { status: 500 } }]));
  await collectEventsUntil(fairlead, session, "turn.ended", last);
  const closed = once(socket, "close");
  await fairlead.stop(session);
  await closed;
  await fetch(`${service.url}/v1/nowhere`, { headers });
  await fetch(`${service.url}/v1/metrics`);
  await expect.poll(async () => metricValue(await scrape(), "fairlead_followers", { by: "websocket" })).toBe(0);

  const afterEnd = await scrape();
  expect(metricValue(afterEnd, "fairlead_sessions", { agent, state: "ended" })).toBe(1);
  expect(metricValue(afterEnd, "fairlead_decisions_open", { agent })).toBe(0);
  expect(metricValue(afterEnd, "fairlead_decision_wait_seconds_count", { agent, outcome: "allowed" })).toBe(1);
  expect(metricValue(afterEnd, "fairlead_turns_total", { agent, outcome: "completed" })).toBe(1);
  expect(metricValue(afterEnd, "fairlead_turns_total", { agent, outcome: "failed" })).toBe(1);
  expect(metricValue(afterEnd, "fairlead_turn_seconds_count", { agent })).toBe(2);
  expect(metricValue(afterEnd, "fairlead_errors_total", { agent, category: "provider-failed" })).toBe(1);
  const events = await Array.fromAsync(fairlead.events(session));
  const eventCounts = [...afterEnd.matchAll(/^fairlead_events_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
  expect(eventCounts.reduce((sum, count) => sum + count, 0)).toBe(events.length);
  expect(metricValue(afterEnd, "fairlead_http_requests_total", { route: "none", status: "404" })).toBe(1);
  expect(metricValue(afterEnd, "fairlead_http_requests_total", { route: "metrics", status: "401" })).toBe(1);
  expect(metricValue(afterEnd, "fairlead_http_requests_total", { route: "metrics", status: "200" })).toBeGreaterThan(0);
  expect(metricValue(afterEnd, "process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(metricValue(afterEnd, "nodejs_eventloop_lag_p99_seconds")).not.toBeNull();
});

test("durations are the time between events, and unknown for turns that began in another process", async () => {
  const metrics = new Metrics();
  metrics.onEvent(
    event("a", "2026-01-01T00:00:00.000Z", { type: "turn.started", turn: "1", input: "", origin: "user" }),
  );
  metrics.onEvent(event("a", "2026-01-01T00:01:30.500Z", { type: "turn.ended", turn: "1", outcome: "completed" }));
  metrics.onEvent(event("b", "2026-01-01T00:00:00.000Z", { type: "turn.ended", turn: "1", outcome: "completed" }));
  const text = await metrics.render(emptySource);
  expect(metricValue(text, "fairlead_turn_seconds_sum", { agent: "scripted" })).toBe(90.5);
  expect(metricValue(text, "fairlead_turn_seconds_count", { agent: "scripted" })).toBe(1);
  expect(metricValue(text, "fairlead_turns_total", { agent: "scripted", outcome: "completed" })).toBe(2);
});

test("tokens and cost are summed by model, and the number of models is bounded", async () => {
  const metrics = new Metrics();
  const reportUsage = (model: string): void => {
    const tokens = { uncached: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 5 };
    const cost = { amount: 0.5, currency: "USD" } as const;
    const body = { type: "usage.reported", provider: "p", model, tokens, cost, provenance: "reported" } as const;
    metrics.onEvent(event("a", "2026-01-01T00:00:00.000Z", body));
  };
  reportUsage("first");
  for (let index = 0; index < 1000; index += 1) reportUsage(`invented ${index}`);
  reportUsage("first");
  const text = await metrics.render(emptySource);
  const agent = "scripted";
  expect(metricValue(text, "fairlead_tokens_total", { agent, model: "first", bucket: "cacheWrite" })).toBe(6);
  expect(metricValue(text, "fairlead_cost_usd_total", { agent, model: "first" })).toBe(1);
  expect(metricValue(text, "fairlead_cost_usd_total", { agent, model: "other" })).toBe(400.5);
  expect(text.match(/^fairlead_cost_usd_total/gm)).toHaveLength(201);
});
