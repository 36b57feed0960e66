import type { AgentEvent, Observation, Opening } from "@fairlead/contract";
import { expect, test } from "vitest";
import { categorizeClaudeCodeError } from "./claude-code/failure.ts";
import { adapters } from "./index.ts";

const opening: Omit<Opening, "agent"> = {
  session: "s",
  name: null,
  adapterVersion: "0.1.0",
  workspace: "/workspace",
  mode: "default",
  settings: { options: {}, retryDeadline: 5000 },
  probeResult: { installed: true, program: "p", version: null, flags: ["app-server"], auth: "login", problems: [] },
  continues: null,
};

const line = (message: object): Observation => ({ kind: "line", stream: "out", text: JSON.stringify(message) });

function observe(agent: string, ...messages: readonly object[]): AgentEvent[] {
  const adapter = adapters.find(({ manifest }) => manifest.id === agent)!;
  const { dialect } = adapter.open({ ...opening, agent });
  let state = dialect.initialState;
  return messages.flatMap((message) => {
    const observed = dialect.observe(state, line(message));
    state = observed.state;
    return observed.events ?? [];
  });
}

const claudeLimit = (info: object): object => ({ type: "rate_limit_event", rate_limit_info: info, uuid: "u" });
const codexLimits = (limits: object): object => ({
  method: "account/rateLimits/updated",
  params: { rateLimits: { limitId: "codex", credits: null, ...limits } },
});

test("reports the quota of a Claude subscription when it changes", () => {
  const rejected = { status: "rejected", resetsAt: 1_794_700_800, rateLimitType: "five_hour", utilization: 1 };
  expect(
    observe(
      "claude-code",
      claudeLimit({ status: "allowed", resetsAt: 1_794_700_800, rateLimitType: "five_hour" }),
      claudeLimit({ status: "allowed", resetsAt: 1_794_700_800, rateLimitType: "five_hour" }),
      claudeLimit({ status: "allowed_warning", rateLimitType: "seven_day", utilization: 0.83 }),
      claudeLimit(rejected),
    ),
  ).toEqual([
    { type: "quota.reported", status: "available", window: "five_hour", resetsAt: "2026-11-15T00:00:00.000Z" },
    { type: "quota.reported", status: "warning", window: "seven_day", usedPercent: 83 },
    {
      type: "quota.reported",
      status: "exhausted",
      window: "five_hour",
      usedPercent: 100,
      resetsAt: "2026-11-15T00:00:00.000Z",
    },
  ]);
});

test("reads the used part of a Claude subscription from its window", () => {
  const unifiedWindows = { five_hour: { utilization: 0.42, status: "allowed" }, seven_day: { utilization: 0.1 } };
  expect(
    observe("claude-code", claudeLimit({ status: "allowed", rateLimitType: "five_hour", unifiedWindows })),
  ).toEqual([{ type: "quota.reported", status: "available", window: "five_hour", usedPercent: 42 }]);
});

test("reports no exhausted quota while requests beyond it are paid for", () => {
  const overage = { status: "rejected", rateLimitType: "five_hour", isUsingOverage: true };
  expect(observe("claude-code", claudeLimit(overage))).toMatchObject([{ status: "warning" }]);
  const primary = { usedPercent: 100, windowDurationMins: 300, resetsAt: null };
  const credits = { hasCredits: true, unlimited: false, balance: "9" };
  const depleted = { primary, secondary: null, credits, rateLimitReachedType: "workspace_owner_credits_depleted" };
  expect(observe("codex", codexLimits({ primary, secondary: null, credits }), codexLimits(depleted))).toMatchObject([
    { status: "warning", usedPercent: 100 },
    { status: "exhausted" },
  ]);
});

test.each(["Session limit reached ∙ resets 11:19pm", "You've hit your session limit · resets 11:19pm (UTC)"])(
  "knows from the words of an older Claude Code that a quota is used up: %s",
  (message) => expect(categorizeClaudeCodeError(message)).toBe("rate-limited"),
);

test("keeps a message about a quota that it cannot read", () => {
  expect(observe("claude-code", claudeLimit({ status: "paused" }))).toMatchObject([{ type: "unrecognized" }]);
});

test("reports both quotas of a Codex subscription when they change, and none without one", () => {
  const primary = { usedPercent: 42, windowDurationMins: 300, resetsAt: 1_794_700_800 };
  const secondary = { usedPercent: 100, windowDurationMins: 10_080, resetsAt: null };
  expect(
    observe(
      "codex",
      codexLimits({ primary: null, secondary: null }),
      codexLimits({ primary, secondary: null }),
      codexLimits({ primary, secondary }),
      codexLimits({ primary: { ...primary, resetsAt: 1e300 }, secondary }),
    ),
  ).toEqual([
    {
      type: "quota.reported",
      status: "available",
      window: "300 minutes",
      usedPercent: 42,
      resetsAt: "2026-11-15T00:00:00.000Z",
    },
    { type: "quota.reported", status: "exhausted", window: "10080 minutes", usedPercent: 100 },
    { type: "quota.reported", status: "available", window: "300 minutes", usedPercent: 42 },
  ]);
});

test.each([
  ["claude-code", claudeLimit({ status: "rejected", resetsAt: 1_794_700_800, rateLimitType: "five_hour" })],
  ["codex", codexLimits({ primary: { usedPercent: 100, windowDurationMins: 300, resetsAt: 1_794_700_800 } })],
])("%s: a resumed session gets a report again that did not change, and not twice", (agent, report) => {
  const { dialect } = adapters.find(({ manifest }) => manifest.id === agent)!.open({ ...opening, agent });
  let { state } = dialect.observe(dialect.initialState, line(report));
  state = dialect.observe(state, { kind: "exited", exit: { code: 0, signal: null } }).state;
  const first = dialect.observe(dialect.handle(state, { type: "resume" }).state, line(report));
  expect(first.events).toMatchObject([{ type: "quota.reported", status: "exhausted" }]);
  expect(dialect.observe(first.state, line(report)).events ?? []).toEqual([]);
});
