import { z } from "zod";

/**
 * Capabilities of agents. A manifest's list is a claim: the conformance judge observes the agent, and a difference in
 * either direction is a failure called drift. So the list contains only capabilities that can be observed.
 */
export const capabilities = {
  streaming: "Text arrives in deltas while the agent writes it.",
  reasoning: "The agent reports its reasoning.",
  tools: "The agent reports tool calls with input and output.",
  "parallel-tools": "Several tool calls can be open at once.",
  "file-events": "The agent reports which files a tool changed.",
  "read-tool": "The agent has a tool that reads files.",
  "search-tool": "The agent has a tool that looks for files or text.",
  "fetch-tool": "The agent has a tool that gets pages from other hosts.",
  "host-tools": "The agent can be offered tools that Fairlead runs, and waits for their results.",
  "mcp-servers": "The agent can be given MCP servers, which it starts, and asks before it calls their tools.",
  approvals: "The agent asks for approval before it acts and waits for the answer.",
  "asks-all": "In a gated session, the agent asks before every call, also before those that it considers harmless.",
  "told-denials": "A denial carries a message to the agent, and the turn continues.",
  "edited-approvals": "An approval can change the input of the call.",
  questions: "The agent can ask a person a question with options.",
  interrupt: "A turn can be interrupted, and the session continues.",
  steer: "Text can be sent into an open turn.",
  queue: "A message sent during a turn is processed afterwards in a separate turn.",
  resume: "The conversation continues in a new process and remembers the earlier messages.",
  fork: "The conversation can be copied into another session; the original does not change.",
  "take-over":
    "A person can lead in the agent's own terminal, and the agent knows the messages typed there afterwards.",
  "recorded-take-over": "What is said and done in that terminal is in the journal after the lead is handed back.",
  "max-turns": "The number of steps in a turn can be limited.",
  "system-prompt": "The system prompt can be set.",
  usage: "The agent reports tokens.",
  cost: "The agent reports costs.",
} as const satisfies Record<string, string>;

export const Capability = z.enum(
  Object.keys(capabilities) as [keyof typeof capabilities, ...(keyof typeof capabilities)[]],
);
export type Capability = z.infer<typeof Capability>;
