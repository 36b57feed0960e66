import { once } from "node:events";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Event } from "@fairlead/contract";
import { serve } from "../http/serve.ts";
import { Tokens } from "../http/tokens.ts";
import { eventsUntil, Ground } from "../local/ground-for-test.ts";
import { Metrics } from "./metrics.ts";
import { openWatch } from "./open-watch.ts";

/** The value of a series, with its labels in any order; null when there is none. */
function value(text: string, name: string, labels: Record<string, string> = {}): number | null {
  for (const line of text.split("\n")) {
    const [, found, inside = "", number] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const given = Object.fromEntries([...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, told]) => [key, told]));
    if (found === name && JSON.stringify(sorted(given)) === JSON.stringify(sorted(labels))) return Number(number);
  }
  return null;
}

const sorted = (labels: Record<string, string>): string[] => Object.entries(labels).map(String).toSorted();

function event(session: string, occurredAt: string, body: Event["body"]): Event {
  const envelope = { id: "e", session, sequence: 1, epoch: 1, turn: null, model: null, spool: 1, synthetic: false };
  return { ...envelope, agent: "scripted", occurredAt, body };
}

test("a service tells its numbers to whoever may read: sessions, turns, decisions, errors, requests, followers", async () => {
  await using ground = new Ground();
  await using watch = await openWatch({ environment: {}, version: "0", write: () => {} });
  const fairlead = await ground.open(watch.observer);
  const tokens = new Tokens(`${ground.folder}/tokens.json`);
  const metrics = (): Promise<string> => watch.metrics(fairlead);
  await using service = await serve({ fairlead, tokens, port: 0, watch: watch.http, metrics });
  const headers = { authorization: `Bearer ${tokens.issue({ label: "reader", scopes: ["read"] })}` };
  const scrape = async (): Promise<string> => (await fetch(`${service.url}/v1/metrics`, { headers })).text();

  const agent = "scripted";
  const ask = withScript("Run.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
  const { session } = await fairlead.start({ workspace: ground.folder, prompt: ask });
  const asked = (await eventsUntil(fairlead, session, "decision.requested")).at(-1)!;
  const socket = new WebSocket(`${service.url}/v1/sessions/${session}/events`.replace("http", "ws"), { headers });
  await once(socket, "message");

  const waiting = await scrape();
  expect(value(waiting, "fairlead_sessions", { agent, state: "waiting" })).toBe(1);
  expect(value(waiting, "fairlead_sessions", { agent, state: "idle" })).toBe(0);
  expect(value(waiting, "fairlead_decisions_open", { agent })).toBe(1);
  expect(value(waiting, "fairlead_decision_oldest_seconds", { agent })).toBeGreaterThan(0);
  expect(value(waiting, "fairlead_followers", { by: "websocket" })).toBe(1);
  expect(value(waiting, "fairlead_turns_total", { agent, outcome: "completed" })).toBeNull();

  const leaving = new AbortController();
  const accept = { ...headers, accept: "text/event-stream" };
  await fetch(`${service.url}/v1/sessions/${session}/events`, { headers: accept, signal: leaving.signal });
  await expect.poll(async () => value(await scrape(), "fairlead_followers", { by: "sse" })).toBe(1);
  leaving.abort();
  await expect.poll(async () => value(await scrape(), "fairlead_followers", { by: "sse" })).toBe(0);

  if (asked.body.type !== "decision.requested") throw new Error("It asked for nothing.");
  await fairlead.answer(session, asked.body.decision, { type: "allow" });
  await eventsUntil(fairlead, session, "turn.ended", asked.sequence);
  const { last } = await fairlead.session(session);
  await fairlead.send(session, withScript("Fail.", [{ error: { status: 500 } }]));
  await eventsUntil(fairlead, session, "turn.ended", last);
  const closed = once(socket, "close");
  await fairlead.stop(session);
  await closed;
  await fetch(`${service.url}/v1/nowhere`, { headers });
  await fetch(`${service.url}/v1/metrics`);
  await expect.poll(async () => value(await scrape(), "fairlead_followers", { by: "websocket" })).toBe(0);

  const over = await scrape();
  expect(value(over, "fairlead_sessions", { agent, state: "ended" })).toBe(1);
  expect(value(over, "fairlead_decisions_open", { agent })).toBe(0);
  expect(value(over, "fairlead_decision_wait_seconds_count", { agent, outcome: "allowed" })).toBe(1);
  expect(value(over, "fairlead_turns_total", { agent, outcome: "completed" })).toBe(1);
  expect(value(over, "fairlead_turns_total", { agent, outcome: "failed" })).toBe(1);
  expect(value(over, "fairlead_turn_seconds_count", { agent })).toBe(2);
  expect(value(over, "fairlead_errors_total", { agent, category: "provider-failed" })).toBe(1);
  const events = await Array.fromAsync(fairlead.events(session));
  const counted = [...over.matchAll(/^fairlead_events_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(events.length);
  expect(value(over, "fairlead_http_requests_total", { route: "none", status: "404" })).toBe(1);
  expect(value(over, "fairlead_http_requests_total", { route: "metrics", status: "401" })).toBe(1);
  expect(value(over, "fairlead_http_requests_total", { route: "metrics", status: "200" })).toBeGreaterThan(0);
  expect(value(over, "process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(value(over, "nodejs_eventloop_lag_p99_seconds")).not.toBeNull();
});

test("durations are those between the events, and unknown of what began before us", async () => {
  const metrics = new Metrics();
  metrics.saw(event("a", "2026-01-01T00:00:00.000Z", { type: "turn.started", turn: "1", input: "", origin: "user" }));
  metrics.saw(event("a", "2026-01-01T00:01:30.500Z", { type: "turn.ended", turn: "1", outcome: "completed" }));
  metrics.saw(event("b", "2026-01-01T00:00:00.000Z", { type: "turn.ended", turn: "1", outcome: "completed" }));
  const text = await metrics.text([]);
  expect(value(text, "fairlead_turn_seconds_sum", { agent: "scripted" })).toBe(90.5);
  expect(value(text, "fairlead_turn_seconds_count", { agent: "scripted" })).toBe(1);
  expect(value(text, "fairlead_turns_total", { agent: "scripted", outcome: "completed" })).toBe(2);
});

test("tokens and cost are summed by model, and an agent that invents models cannot fill our memory", async () => {
  const metrics = new Metrics();
  const spend = (model: string): void => {
    const tokens = { uncached: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 5 };
    const cost = { amount: 0.5, currency: "USD" } as const;
    const body = { type: "usage.reported", provider: "p", model, tokens, cost, provenance: "reported" } as const;
    metrics.saw(event("a", "2026-01-01T00:00:00.000Z", body));
  };
  spend("first");
  for (let index = 0; index < 1000; index += 1) spend(`invented ${index}`);
  spend("first");
  const text = await metrics.text([]);
  const agent = "scripted";
  expect(value(text, "fairlead_tokens_total", { agent, model: "first", bucket: "cacheWrite" })).toBe(6);
  expect(value(text, "fairlead_cost_usd_total", { agent, model: "first" })).toBe(1);
  expect(value(text, "fairlead_cost_usd_total", { agent, model: "other" })).toBe(400.5);
  expect(text.match(/^fairlead_cost_usd_total/gm)).toHaveLength(201);
});
