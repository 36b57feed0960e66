import type { EventOf } from "@fairlead/contract";

/** Who leads a session from now on. */
export const leadLines: Readonly<Record<EventOf<"lead.changed">["lead"], string>> = {
  human: "A person leads in the agent's own terminal.",
  agent: "The agent leads.",
  delegated: "The agent of another session leads this one.",
};
