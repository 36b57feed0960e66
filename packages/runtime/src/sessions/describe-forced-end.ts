import { FairleadError, type EventOf } from "@fairlead/contract";
import { KeeperUnresponsive } from "@fairlead/keeper";

/** Describes why Fairlead killed the processes of a session, as an error in its journal. */
export function describeForcedEnd(cause: unknown): Pick<EventOf<"error.raised">, "category" | "message"> {
  const root = cause instanceof Error && cause.cause instanceof KeeperUnresponsive ? cause.cause : cause;
  const missed =
    root instanceof KeeperUnresponsive
      ? "its keeper did not respond"
      : FairleadError.is(root, "timed-out")
        ? "it did not end in time"
        : null;
  if (missed !== null)
    return { category: "timed-out", message: `Fairlead ended the session by force, because ${missed}.` };
  const problem = root instanceof Error ? root.message : String(root);
  return {
    category: "agent-died",
    message: `Fairlead could not drive this session and killed its processes: ${problem}`,
  };
}
