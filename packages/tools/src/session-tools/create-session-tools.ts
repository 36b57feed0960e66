import { FairleadError, type HostTool } from "@fairlead/contract";
import { createListSessions } from "./list-sessions.ts";
import { createReadDiff } from "./read-diff.ts";
import { createSend } from "./send.ts";
import type { SessionToolParts, SessionToolsOptions, SessionToolsPort } from "./session-tools-options.ts";
import { createStartSession } from "./start-session.ts";
import { createStopSession } from "./stop-session.ts";
import { createWait } from "./wait.ts";

/**
 * Creates the tools by which a program, or an agent, drives sessions: it starts them, sends messages, waits, reads changes and
 * stops them. None of them answers a decision, opens a terminal, raises a limit, or changes what is trusted or allowed.
 */
export function createSessionTools(fairlead: SessionToolsPort, options: SessionToolsOptions = {}): HostTool[] {
  const {
    caller = { approvalsRequired: true },
    mayUse = () => null,
    takesWorkspace = false,
    delegates = false,
  } = options;
  const { start = (request, { key }) => fairlead.start(request, { ...caller, key }) } = options;
  const find: SessionToolParts["find"] = async (session, context) => {
    const view = await fairlead.session(session);
    const refusal = await mayUse(view, context);
    if (refusal !== null) throw new FairleadError("not-allowed", refusal);
    return view;
  };
  const parts: SessionToolParts = { fairlead, caller, find, mayUse, start, takesWorkspace, delegates };
  return [createStartSession, createSend, createWait, createReadDiff, createListSessions, createStopSession].map(
    (create) => create(parts),
  );
}
