import type { Fairlead } from "@fairlead/api";
import type { HostTool } from "@fairlead/contract";
import { createSessionTools, type SessionToolsPort } from "@fairlead/tools";
import type { Delegation } from "./delegation.ts";

/** The names of the tools by which an agent starts and leads other sessions. */
export const delegationTools: readonly string[] = ["start_session", "send", "wait", "read_diff", "stop_session"];

/** What the tools use. */
export interface DelegationParts {
  readonly fairlead: Fairlead;
  readonly delegation: Delegation;
}

/** Creates the tools by which an agent starts and leads other sessions. It reaches only those that it started. */
export function createDelegationTools(parts: () => DelegationParts): HostTool[] {
  const fairlead: SessionToolsPort = {
    start: (...args) => parts().fairlead.start(...args),
    send: (...args) => parts().fairlead.send(...args),
    stop: (...args) => parts().fairlead.stop(...args),
    session: (...args) => parts().fairlead.session(...args),
    sessions: (...args) => parts().fairlead.sessions(...args),
    events: (...args) => parts().fairlead.events(...args),
    files: (...args) => parts().fairlead.files(...args),
    diff: (...args) => parts().fairlead.diff(...args),
  };
  const tools = createSessionTools(fairlead, {
    delegates: true,
    start: (request, context) => parts().delegation.start(request, context),
    mayUse: ({ parent, lead }, { session }) => {
      if (parent?.session !== session) return "You can use only sessions that you started.";
      return lead === "human" ? "A person leads this session in its terminal now. Try again later." : null;
    },
  });
  return tools.filter(({ offer }) => delegationTools.includes(offer.name));
}
