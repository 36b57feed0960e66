import { capabilitiesOf, capabilitiesOver } from "@fairlead/contract";
import type { AgentCommand, Dialect, Observation, Opening, Transition } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { adapters } from "./index.ts";

const withFallback = adapters.filter(({ manifest }) => manifest.fallback !== undefined);

function createOpening(agent: string, flags: string[]): Opening {
  return {
    session: "s",
    name: null,
    agent,
    adapterVersion: "0.1.0",
    workspace: "/workspace",
    mode: "default",
    settings: { retryDeadline: 5000 },
    probeResult: { installed: true, program: agent, version: "1.0.0", flags, auth: "none", problems: [] },
    continues: null,
  };
}

test("codex and gemini-cli have a fallback protocol", () => {
  expect(withFallback.map(({ manifest }) => manifest.id)).toEqual(["codex", "gemini-cli"]);
});

describe.each(withFallback)("$manifest.id", (adapter) => {
  const { manifest } = adapter;
  const { missingFlag, whenFlagsUnknown } = manifest.fallback!;

  test.each([
    { flags: ["--help", missingFlag], isFallback: false },
    { flags: ["--help"], isFallback: true },
    { flags: [], isFallback: whenFlagsUnknown },
  ])("uses the protocol that the capabilities describe, with the flags $flags", ({ flags, isFallback }) => {
    const { processLifetime, protocol } = adapter.open(createOpening(manifest.id, flags));
    expect(processLifetime).toBe(isFallback ? "turn" : "session");
    expect(capabilitiesOver(manifest, null, protocol)).toEqual(capabilitiesOf(manifest, null, flags));
    expect(capabilitiesOf(manifest, null, flags).includes("approvals")).toBe(!isFallback);
  });

  test("ignores steering over the fallback protocol instead of stopping the turn", () => {
    const session = new FallbackSession(adapter.open(createOpening(manifest.id, ["--help"])).dialect);
    session.handle({ type: "open" });
    session.handle({ type: "send", turn: "t1", text: "Hello." });
    expect(session.handle({ type: "steer", text: "Faster." })).toMatchObject({ events: [], effects: [] });
  });
});

describe("gemini-cli without ACP", () => {
  const gemini = adapters.find(({ manifest }) => manifest.id === "gemini-cli")!;
  const start = (): FallbackSession => {
    const session = new FallbackSession(gemini.open(createOpening("gemini-cli", ["--help"])).dialect);
    session.handle({ type: "open" });
    session.handle({ type: "send", turn: "t1", text: "Hello." });
    session.receive({ type: "init", session_id: "g1", model: "m" });
    return session;
  };
  const exit = { kind: "exited", exit: { code: 0, signal: null } } as const;
  const alarm = { kind: "alarm", name: "retrying" } as const;

  test("completes a turn with its text, tool call and usage", () => {
    const session = start();
    session.receive({ type: "message", role: "assistant", content: "Hi " });
    session.receive({ type: "message", role: "assistant", content: "there." });
    session.receive({ type: "tool_use", tool_id: "c1", tool_name: "ls", parameters: {} });
    session.receive({ type: "tool_result", tool_id: "c1", status: "success", output: "a.txt" });
    session.receive({ type: "result", stats: { models: { m: { input: 1, cached: 2, output_tokens: 3 } } } });
    session.observe(exit);
    expect(session.eventTypes()).toEqual([
      "status.reported",
      "turn.started",
      "session.changed",
      "text.ended",
      "tool.requested",
      "tool.started",
      "tool.ended",
      "usage.reported",
      "turn.ended",
    ]);
    expect(session.events).toContainEqual({ type: "text.ended", text: "Hi there." });
    expect(session.events.at(-1)).toMatchObject({ outcome: "completed" });
  });

  test("fails a silent turn at the second alarm, and kills its process", () => {
    const session = start();
    expect(session.observe(alarm).effects).toMatchObject([{ type: "alarm" }]);
    expect(session.observe(alarm).effects).toContainEqual({ type: "kill" });
    session.observe(exit);
    expect(session.events.slice(-2)).toMatchObject([{ category: "timed-out" }, { outcome: "failed" }]);
  });

  test("completes a turn whose process does not exit after the result", () => {
    const session = start();
    session.receive({ type: "result" });
    session.observe(alarm);
    expect(session.observe(alarm).effects).toContainEqual({ type: "kill" });
    session.observe(exit);
    expect(session.events.at(-1)).toMatchObject({ type: "turn.ended", outcome: "completed" });
    expect(session.eventTypes()).not.toContain("error.raised");
  });

  test("reports the category of the error on stderr when the process dies", () => {
    const session = start();
    session.observe({ kind: "line", stream: "err", text: '{"error": {"code": 429}}' });
    session.observe(exit);
    expect(session.events.slice(-2)).toMatchObject([{ category: "rate-limited" }, { outcome: "failed" }]);
  });
});

/** Runs a dialect and collects its events. */
class FallbackSession {
  readonly events: { readonly type: string }[] = [];
  readonly #dialect: Dialect<unknown>;
  #state: unknown;

  constructor(dialect: Dialect<unknown>) {
    this.#dialect = dialect;
    this.#state = dialect.initialState;
  }

  handle(command: AgentCommand): Transition<unknown> {
    return this.#apply(this.#dialect.handle(this.#state, command));
  }

  observe(observation: Observation): Transition<unknown> {
    return this.#apply(this.#dialect.observe(this.#state, observation));
  }

  receive(message: object): void {
    this.observe({ kind: "line", stream: "out", text: JSON.stringify(message) });
  }

  eventTypes(): string[] {
    return this.events.map(({ type }) => type);
  }

  #apply(transition: Transition<unknown>): Transition<unknown> {
    this.#state = transition.state;
    this.events.push(...(transition.events ?? []));
    return transition;
  }
}
