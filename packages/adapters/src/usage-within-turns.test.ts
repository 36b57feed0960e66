import type { AgentEvent, Opening } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { adapters } from "./index.ts";

const opening: Opening = {
  session: "s",
  name: null,
  agent: "claude-code",
  adapterVersion: "0.1.0",
  workspace: "/workspace",
  mode: "default",
  settings: { options: {}, retryDeadline: 5000 },
  probeResult: { installed: true, program: "claude", version: null, flags: [], auth: "none", problems: [] },
  continues: null,
};

const counts = (input: number, output: number) => ({
  input_tokens: input,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  output_tokens: output,
});
const stream = (event: object): object => ({ type: "stream_event", parent_tool_use_id: null, event });
const start = (input: number, model = "m[1m]"): object =>
  stream({ type: "message_start", message: { id: "a", model, usage: counts(input, 1) } });
const stop = (usage: object, reason: string | null = "tool_use"): object =>
  stream({ type: "message_delta", delta: { stop_reason: reason }, usage });
const modelUsage = (input: number, output: number, costUSD: number) => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  costUSD,
});
const result = (fields: object): object => ({ type: "result", subtype: "success", is_error: false, ...fields });
const sinceLastResult = (usage: object): object => result({ model_usage_since_last_result: usage, modelUsage: usage });
const subAgentAnswer = (id: string, input: number): object => ({
  type: "assistant",
  parent_tool_use_id: "call",
  message: { id, model: "small", content: [], usage: counts(input, 1) },
});
const subAgentResult: object = { type: "user", parent_tool_use_id: "call", message: { content: [] } };

/** Returns the reports of usage as `model input output cost`. */
function report(...lines: readonly object[]): string[] {
  const adapter = adapters.find(({ manifest }) => manifest.id === "claude-code")!;
  const { dialect } = adapter.open(opening);
  let { state } = dialect.handle(dialect.initialState, { type: "send", turn: "t", text: "Do." });
  const events: AgentEvent[] = [];
  for (const line of lines) {
    const observed = dialect.observe(state, { kind: "line", stream: "out", text: JSON.stringify(line) });
    state = observed.state;
    events.push(...(observed.events ?? []));
  }
  return events.flatMap((event) =>
    event.type === "usage.reported"
      ? [`${event.model} ${event.tokens.uncached} ${event.tokens.output} ${event.cost?.amount ?? "-"}`]
      : [],
  );
}

describe("claude-code", () => {
  test("reports each answer when it ends, and the cost with the result", () => {
    const lines = [start(10), stop(counts(10, 5)), start(20), stop(counts(20, 6), "end_turn")];
    const usage = { "m[1m]": modelUsage(30, 11, 0.5) };
    expect(report(...lines, sinceLastResult(usage))).toEqual(["m 10 5 -", "m 20 6 -", "m 0 0 0.5"]);
  });

  test("reports what the result has beside the answers, such as a title", () => {
    const usage = { m: modelUsage(15, 7, 0.5), title: modelUsage(3, 1, 0.1) };
    expect(report(start(10), stop(counts(10, 5)), sinceLastResult(usage))).toEqual([
      "m 10 5 -",
      "m 5 2 0.5",
      "title 3 1 0.1",
    ]);
  });

  test("takes the counts of the start where the end does not repeat them", () => {
    const end = stop({ output_tokens: 5, input_tokens: null });
    expect(report(start(10), end)).toEqual(["m 10 5 -"]);
  });

  test("counts nothing twice in the next turn", () => {
    const usage = { m: modelUsage(10, 5, 0.5) };
    const turn = [start(10), stop(counts(10, 5)), sinceLastResult(usage)];
    expect(report(...turn, ...turn)).toEqual(["m 10 5 -", "m 0 0 0.5", "m 10 5 -", "m 0 0 0.5"]);
  });

  test("counts nothing twice if the result has another name for the model", () => {
    const usage = { "eu.vendor.m-v1": modelUsage(12, 5, 0.5) };
    expect(report(start(10), stop(counts(10, 5)), sinceLastResult(usage))).toEqual([
      "m 10 5 -",
      "eu.vendor.m-v1 2 0 0.5",
    ]);
  });

  test("counts nothing twice if the result has running totals, as of older versions", () => {
    const first = result({ modelUsage: { m: modelUsage(10, 5, 0.5) } });
    const second = result({ modelUsage: { m: modelUsage(30, 11, 0.75) } });
    expect(report(start(10), stop(counts(10, 5)), first, start(20), stop(counts(20, 6)), second)).toEqual([
      "m 10 5 -",
      "m 0 0 0.5",
      "m 20 6 -",
      "m 0 0 0.25",
    ]);
  });

  test("does not count an answer that was cut off, as the result does not", () => {
    const interrupted = result({ model_usage_since_last_result: {}, modelUsage: {} });
    expect(report(start(10), stop(counts(10, 1), null), interrupted)).toEqual([]);
  });

  test("reports the answers of a sub-agent when they are complete, once", () => {
    const usage = { small: modelUsage(70, 9, 0.5) };
    expect(
      report(
        subAgentAnswer("a", 10),
        subAgentAnswer("a", 10),
        subAgentResult,
        subAgentAnswer("b", 20),
        subAgentAnswer("c", 40),
        sinceLastResult(usage),
      ),
    ).toEqual(["small 10 1 -", "small 20 1 -", "small 40 7 0.5"]);
  });
});
