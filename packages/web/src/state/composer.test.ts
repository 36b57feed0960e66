import type { SessionView } from "@fairlead/api";
import { expect, test } from "vitest";
import { composerStateOf, removeSent } from "./composer.ts";
import { sessionActions } from "./sessions/session-actions.ts";

type Part = Pick<SessionView, "state" | "lead" | "capabilities" | "queued">;

function say(
  { state = "idle", lead = "agent", capabilities = [], queued = 0 }: Partial<Part>,
  scopes = ["drive", "approve"] as const,
): string {
  const result = composerStateOf(
    { state, lead, capabilities, queued, problem: null } as unknown as SessionView,
    scopes,
  );
  if (result.type === "disabled") return result.reason;
  return `${result.promise} ${result.ways.map(({ way }) => way).join(" ")}`;
}

test.each([
  [{}, "Starts a turn now. send inject"],
  [{ queued: 1 }, "The agent is starting. Sent after the messages that wait for it. send inject"],
  [{ state: "working" }, "Queued until the turn ends. send inject"],
  [{ state: "waiting", capabilities: ["steer"] }, "Queued until the turn ends. send steer inject"],
  [{ state: "paused" }, "The session is paused. The message resumes it. send inject"],
  [
    { state: "ended", capabilities: ["resume"] },
    "The session has ended. A new session continues the conversation. send",
  ],
  [{ state: "ended" }, "The session has ended, and its agent cannot continue a conversation."],
  [{ lead: "human" }, "A person leads in the agent's own terminal. Hand back to send messages here."],
] as const)("%o: %s", (part, words) => expect(say(part as Partial<Part>)).toBe(words));

test("without the scope, the reason is said and no command is offered but the export", () => {
  const view = { state: "working", lead: "agent", capabilities: ["fork"], problem: null } as unknown as SessionView;
  expect(composerStateOf(view, ["read"])).toMatchObject({ type: "disabled", reason: expect.stringContaining("drive") });
  expect(sessionActions(view, ["read"])).toEqual(["replay", "export"]);
  expect(sessionActions(view, ["read", "drive"])).toEqual(["fork", "pause", "stop", "replay", "export"]);
});

test.each([
  ["first", ""],
  ["first\n\nand more", "and more"],
  ["another", "another"],
  ["", ""],
])("of the draft %j, without the sent “first”, %j remains", (draft, rest) => {
  expect(removeSent(draft, "first")).toBe(rest);
});

test.each([
  [{ mode: "default", capabilities: ["approvals"] }, "ready"],
  [{ mode: "plan", capabilities: ["approvals"] }, "ready"],
  [{ mode: "full-auto", capabilities: ["approvals"] }, "disabled"],
  [{ mode: "default", capabilities: [] }, "disabled"],
] as const)("without the scope approve, the field of a session with %o is %s", (part, type) => {
  const view = { state: "idle", lead: "agent", problem: null, ...part } as unknown as SessionView;
  expect(composerStateOf(view, ["read", "drive"])).toMatchObject({ type });
  expect(composerStateOf(view, ["read", "drive", "approve"])).toMatchObject({ type: "ready" });
});

test.each([
  [0, "Queued until the turn ends."],
  [1, "Queued behind 1 message. What waits starts when the turn ends, also by Interrupt."],
  [2, "Queued behind 2 messages. What waits starts when the turn ends, also by Interrupt."],
])("with %i queued messages, the field says what starts them: %s", (queued, promise) => {
  const view = { state: "working", lead: "agent", capabilities: [], queued } as unknown as SessionView;
  expect(composerStateOf(view, ["drive", "approve"])).toMatchObject({ promise });
});
