import type { AgentEvent, Opening } from "@fairlead/contract";

/** The opening of a session of an agent that does not exist. */
export const exampleOpening: Opening = {
  session: "s",
  name: null,
  agent: "made-up",
  adapterVersion: "1",
  workspace: "/w",
  mode: "default",
  settings: {},
  probeResult: { installed: true, program: "agent", version: "2", flags: [], auth: "none", problems: [] },
  continues: null,
};

/** The first event of that session. */
export const exampleStart = {
  type: "session.started",
  name: null,
  agent: "made-up",
  adapterVersion: "1",
  agentVersion: "2",
  protocol: "lines",
  flags: [],
  workspace: "/w",
  mode: "default",
  continues: null,
} as const satisfies AgentEvent;
