import { z } from "zod";

/**
 * What an agent can do. A manifest's list is only a claim: the judge looks at what the agent really does, and a
 * difference either way is a failure called drift. So only what can be observed stands here.
 */
export const capabilities = {
  streaming: "Text arrives in deltas while it is being written.",
  reasoning: "Its thinking is told.",
  tools: "Tool calls are told, with input and output.",
  "parallel-tools": "Several tool calls can be open at once.",
  "file-events": "It tells which files a tool changed.",
  approvals: "It asks before it acts and waits for the answer.",
  "told-denials": "A denial carries words to the agent, and the turn goes on.",
  "edited-approvals": "An approval can change the input of the call.",
  questions: "It can put a question with options to a person.",
  interrupt: "A turn can be interrupted and the session goes on.",
  steer: "Something can be said into a turn that is going on.",
  queue: "A message sent during a turn is taken up afterwards, in a turn of its own.",
  resume: "The conversation goes on in a new process, with what was said before.",
  fork: "The conversation goes its own way in another session, and the one that it came from is left as it was.",
  "take-over":
    "A person can lead in the agent's own terminal for a while, and the agent knows afterwards what was said.",
  "max-turns": "The number of steps in a turn can be limited.",
  "system-prompt": "The system prompt can be set.",
  usage: "It reports tokens.",
  cost: "It reports money.",
} as const satisfies Record<string, string>;

export const Capability = z.enum(
  Object.keys(capabilities) as [keyof typeof capabilities, ...(keyof typeof capabilities)[]],
);
export type Capability = z.infer<typeof Capability>;
