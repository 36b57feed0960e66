import type { Scope, SessionView } from "@fairlead/api";
import { modesThatAsk } from "@fairlead/contract";

/** How a text reaches the agent. */
export type SendWay = "send" | "steer" | "inject";

/** What happens to a text that a person types now. */
export type ComposerState =
  | { readonly type: "disabled"; readonly reason: string }
  | {
      readonly type: "ready";
      /** The first one is the usual one. */
      readonly ways: readonly { readonly way: SendWay; readonly label: string }[];
      /** What the usual way does, as a sentence. */
      readonly promise: string;
      /** Whether the text starts a new session that continues this one. */
      readonly continues: boolean;
    };

/** The state for a session that no longer exists. */
export const goneState: ComposerState = {
  type: "disabled",
  reason: "The session no longer exists, so that nothing can be sent to it.",
};

/** Returns what remains of a draft after a text was sent: a person may have typed on, or something else, meanwhile. */
export function removeSent(draft: string, sent: string): string {
  return draft.startsWith(sent) ? draft.slice(sent.length).trimStart() : draft;
}

/** Says what the text will do, so that a person knows it before sending. */
export function composerStateOf(view: SessionView, scopes: readonly Scope[], isGrantKnown = true): ComposerState {
  if (!isGrantKnown) return disabled("The service has not said yet what this page may do.");
  if (!scopes.includes("drive")) return disabled("Your access has no scope “drive”, so it cannot send messages.");
  if (!scopes.includes("approve") && !asksForApproval(view))
    return disabled(
      "The session acts without approval. Your access has no scope “approve”, so it cannot send messages.",
    );
  if (view.lead === "human")
    return disabled("A person leads in the agent's own terminal. Hand back to send messages here.");
  switch (view.state) {
    case "damaged":
      return disabled(view.problem ?? "A part of the session's files cannot be read.");
    case "ended":
    case "lost":
      return view.capabilities.includes("resume")
        ? ready("send", "Continue", "The session has ended. A new session continues the conversation.", {
            continues: true,
          })
        : disabled("The session has ended, and its agent cannot continue a conversation.");
    case "paused":
      return ready("send", "Resume and send", "The session is paused. The message resumes it.", { inject: true });
    case "idle":
      if (view.queued > 0)
        return ready("send", "Queue", "The agent is starting. Sent after the messages that wait for it.", {
          inject: true,
        });
      return ready("send", "Send", "Starts a turn now.", { inject: true });
    default:
      return ready("send", "Queue", queuePromise(view), {
        steer: view.capabilities.includes("steer"),
        inject: true,
      });
  }
}

/** Says what starts a message that is queued. An interrupt ends the turn, and so starts those that wait, which may surprise. */
function queuePromise({ queued }: Pick<SessionView, "queued">): string {
  if (queued === 0) return "Queued until the turn ends.";
  return `Queued behind ${queued === 1 ? "1 message" : `${queued} messages`}. What waits starts when the turn ends, also by Interrupt.`;
}

/** Whether the agent asks before it acts. A message to another one approves in advance. */
function asksForApproval({ mode, capabilities }: Pick<SessionView, "mode" | "capabilities">): boolean {
  return modesThatAsk.includes(mode) && capabilities.includes("approvals");
}

function disabled(reason: string): ComposerState {
  return { type: "disabled", reason };
}

interface OtherWays {
  readonly steer?: boolean;
  readonly inject?: boolean;
  readonly continues?: boolean;
}

function ready(way: SendWay, label: string, promise: string, other: OtherWays): ComposerState {
  const ways = [
    { way, label },
    ...(other.steer === true ? [{ way: "steer", label: "steer now" } as const] : []),
    ...(other.inject === true ? [{ way: "inject", label: "add to the next message" } as const] : []),
  ];
  return { type: "ready", ways, promise, continues: other.continues === true };
}
