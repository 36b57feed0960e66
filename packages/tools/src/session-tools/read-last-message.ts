import type { SessionView } from "@fairlead/api";
import type { SessionToolsPort } from "./session-tools-options.ts";

/** How many of the newest events are read: first few, then more, so that a long history costs no more than a short one. */
const windows = [200, 5000];

/** Reads the last message of a session's agent, without those of its sub-agents. Returns null if it wrote none lately. */
export async function readLastMessage(
  fairlead: Pick<SessionToolsPort, "events">,
  { session, last }: Pick<SessionView, "session" | "last">,
): Promise<string | null> {
  for (const window of windows) {
    const after = Math.max(0, last - window);
    let message: string | null = null;
    for await (const output of fairlead.events(session, { after })) {
      if (!("body" in output) || output.body.type !== "text.ended" || output.body.parent !== undefined) continue;
      const { text, part = 1 } = output.body;
      // Only the beginning of a long message is shown, so its later parts are not kept.
      if (part === 1 || message === null) message = text;
    }
    if (message !== null || after === 0) return message;
  }
  return null;
}
