import type { SessionView } from "@fairlead/api";
import { cutText, type Event, type HostTool } from "@fairlead/contract";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { describeState, isSettled } from "./describe-state.ts";
import { readLastMessage } from "./read-last-message.ts";
import { SessionReference } from "./session-reference.ts";
import type { SessionToolParts, SessionToolsPort } from "./session-tools-options.ts";

const maxSeconds = 600;
/** Below a minute, because many programs that call tools give up after one. */
const defaultSeconds = 50;
const maxMessageLength = 8000;

/** The events after which the state of a session may be one that `wait` waits for. */
const stateEvents: ReadonlySet<Event["body"]["type"]> = new Set([
  "turn.ended",
  "decision.requested",
  "message.returned",
  "lead.changed",
  "session.paused",
  "session.ended",
]);

/** Creates the tool that waits for a session and says what it is doing. */
export function createWait({ fairlead, find }: SessionToolParts): HostTool {
  return defineTool({
    name: "wait",
    description:
      "Waits until the agent of a session is idle, has ended, or waits for a person to decide, and says which. " +
      `Then follows the last message of the agent, at most ${maxMessageLength} characters of it.`,
    readOnly: true,
    input: z.strictObject({
      session: SessionReference,
      timeout_seconds: z
        .number()
        .min(0)
        .max(maxSeconds)
        .default(defaultSeconds)
        .describe("How long to wait. With 0, it says at once what the session is doing."),
    }),
    async run({ session, timeout_seconds: seconds }, context) {
      const { session: id } = await find(session, context);
      const timeout = AbortSignal.timeout(seconds * 1000);
      const view = await waitUntilSettled(fairlead, id, AbortSignal.any([timeout, context.signal]));
      if (context.signal.aborted) throw new Error("The wait was canceled.");
      const message = await readLastMessage(fairlead, view);
      return [
        describeState(view, seconds),
        message === null
          ? "The agent has written no message yet."
          : `The last message of the agent:\n${cutText(message, maxMessageLength)}`,
      ].join("\n\n");
    },
  });
}

/** Waits until a session needs something from others. Returns its view then, or when the signal aborts. */
async function waitUntilSettled(
  fairlead: Pick<SessionToolsPort, "session" | "events">,
  id: string,
  signal: AbortSignal,
): Promise<SessionView> {
  let view = await fairlead.session(id);
  while (!isSettled(view) && !signal.aborted) {
    let hasChanged = false;
    for await (const output of fairlead.events(id, { after: view.last, follow: true, signal })) {
      hasChanged = "body" in output && stateEvents.has(output.body.type);
      if (hasChanged) break;
    }
    view = await fairlead.session(id);
    if (!hasChanged) break;
  }
  return view;
}
